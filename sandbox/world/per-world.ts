import type { World } from './types.js';

/**
 * What a service reads of a world, made at the first use and once for each world: no service changes one, so the starts
 * after the first find it made.
 */
export function perWorld<T extends object>(read: (world: World) => T): (world: World) => T {
  const made = new WeakMap<World, T>();
  return (world) => {
    const found = made.get(world) ?? read(world);
    made.set(world, found);
    return found;
  };
}
