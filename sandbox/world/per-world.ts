import type { World } from './types.js';

/**
 * What a service derives from a world, computed at first use and once for each world: no service changes one, so later
 * starts reuse it.
 */
export function perWorld<T extends object>(read: (world: World) => T): (world: World) => T {
  const made = new WeakMap<World, T>();
  return (world) => {
    const found = made.get(world) ?? read(world);
    made.set(world, found);
    return found;
  };
}
