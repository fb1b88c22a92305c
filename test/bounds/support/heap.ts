import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect: () => void = runInNewContext('gc');

/** Bytes of heap in use, once garbage is gone. */
export function heapNow(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

/** Those and the bytes of buffers, which stand beside the heap. */
export function memoryNow(): number {
  return heapNow() + process.memoryUsage().arrayBuffers;
}
