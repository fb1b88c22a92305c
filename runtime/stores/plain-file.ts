import { constants, type FileHandle, open } from 'node:fs/promises';

/** Neither follows a link nor waits for the other end of a pipe. */
const PLAIN = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file to be read. Null if there is none, or if it is a link, a pipe, a device or a folder. */
export async function openPlainFile(path: string): Promise<FileHandle | null> {
  const handle = await open(path, PLAIN).catch(() => null);
  if (handle === null || (await handle.stat()).isFile()) return handle;
  await handle.close();
  return null;
}

/** The text of a file; undefined if there is none, or one of more bytes than it may have. */
export async function readPlainFile(path: string, maxBytes: number): Promise<string | undefined> {
  const handle = await openPlainFile(path);
  try {
    if (handle === null || (await handle.stat()).size > maxBytes) return undefined;
    return await handle.readFile('utf8');
  } finally {
    await handle?.close();
  }
}
