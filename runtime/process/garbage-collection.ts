import { setFlagsFromString } from 'node:v8';

/**
 * Keeps the objects of requests young. V8 sees some of them survive while the process is starting, and from then on
 * allocates their like as old ones: these are collected late, and hold all that they refer to until then.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
