import { readFileSync } from 'node:fs';

/**
 * A clock that runs while the main thread of a process does: what else the machine does counts for nothing. Where the
 * system does not tell, an ordinary one.
 */
export function threadClock(pid: number): () => number {
  const file = `/proc/${pid}/task/${pid}/schedstat`;
  const read = () => Number.parseInt(readFileSync(file, 'latin1'), 10) / 1e6;
  try {
    read();
    return read;
  } catch {
    return () => performance.now();
  }
}
