import { lstatSync } from 'node:fs';

/** Throws with the code `FOREIGN` for what is no plain file, or may have been written by another user; not if nothing is there. */
export function requireOwnFile(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return;
  const own = process.getuid?.() ?? found.uid;
  const isOwn = found.isFile() && found.uid === own && (found.mode & 0o022) === 0;
  if (!isOwn)
    throw Object.assign(new Error('It is no plain file, or others may have written it.'), { code: 'FOREIGN' });
}
