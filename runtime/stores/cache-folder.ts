import { randomUUID } from 'node:crypto';
import { mkdir, rm, stat, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import type { Log } from '../../kernel/log.js';
import { addressHash } from './text-store.js';

/**
 * The folder, created if missing. Null, with one line in the log, if it cannot be created or written: then its content
 * is in memory only.
 */
export async function openCacheFolder(folder: string | null, log: Log): Promise<string | null> {
  if (folder === null) return null;
  try {
    await make(folder);
    const probe = join(folder, `${randomUUID()}.draft`);
    await writeFile(probe, '', { mode: 0o600 });
    await rm(probe);
    return folder;
  } catch (error) {
    log.warn({ folder, err: error }, 'the cache folder cannot be used: nothing survives a restart');
    return null;
  }
}

/** Level by level: where nothing can be created, as below `/proc`, Node's own `recursive` tries for ever. */
async function make(folder: string): Promise<void> {
  const made = await makeOne(folder);
  if (made || dirname(folder) === folder) return;
  await make(dirname(folder));
  if (!(await makeOne(folder))) throw new Error('Nothing can be made in its parent.');
}

/** Whether the folder exists now; false if its parent is missing. */
async function makeOne(folder: string): Promise<boolean> {
  try {
    await mkdir(folder, { mode: 0o700 });
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null;
    if (code !== 'EEXIST' && code !== 'ENOENT') throw error;
    return code === 'EEXIST';
  }
}

/** A living writer of another machine wrote within this time: it gives up what has not gone on for 30 s. */
const SILENT_MS = 2 * 60 * 1000;

const HOST = addressHash(hostname());
/** Another process, earlier or in another container, may have the same id. */
const RUN = randomUUID().slice(0, 8);
const NAME = /^\w+-([\da-f]+)-(\d+)-([\da-f]+)-/;

/** The files that this process is writing, without endings. */
const writing = new Set<string>();

/** A file that is being written. */
export interface FileWriter {
  /** Name of the file without ending; it says who writes it. */
  readonly name: string;
  /** The file is complete, or was removed. */
  end(): void;
}

/** Names a new file of a kind. Until `end`, processes that share its folder can tell that somebody is writing it. */
export function startWriting(kind: string): FileWriter {
  const name = `${kind}-${HOST}-${process.pid}-${RUN}-${randomUUID()}`;
  writing.add(name);
  return { name, end: () => void writing.delete(name) };
}

/**
 * Whether a living process may be writing a file: it wrote within two minutes, and if it is on this machine, it runs. A
 * wrong yes lasts two minutes; with a wrong no, the writer finds its file gone and starts again.
 */
export async function isBeingWritten(folder: string, file: string): Promise<boolean> {
  const [, host, id, run] = NAME.exec(file) ?? [];
  if (run === RUN) return writing.has(file.replace(/\..*/, ''));
  const found = await stat(join(folder, file)).catch(() => null);
  if (found === null || Date.now() - found.mtimeMs >= SILENT_MS) return false;
  return host !== HOST || mayRun(Number(id), found.mtimeMs);
}

/** Whether the process that last wrote at this time may still run. */
function mayRun(id: number, wroteAtMs: number): boolean {
  // Its id is ours: it ended before we started, or is in another container with the name of this machine.
  if (id === process.pid) return wroteAtMs > performance.timeOrigin;
  try {
    return process.kill(id, 0);
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
