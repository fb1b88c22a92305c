import type { World } from './types.js';

/**
 * Data that a service derives from a world, computed once per world, at first use. No service changes a world, so later
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
