import { createWorld } from './index.js';
import type { World } from './types.js';

const worlds = new Map<number, World>();

/** The world of a scale, created once per process: a scale always gives the same world, and no service changes it. */
export function sharedWorld(scale = 1): World {
  const world = worlds.get(scale) ?? createWorld({ scale });
  worlds.set(scale, world);
  return world;
}
