import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes of heap in use after a garbage collection. */
export function heapNow(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** The same, plus the bytes of buffers, which are outside the heap. */
export function memoryNow(): number {
  return heapNow() + process.memoryUsage().arrayBuffers;
}
