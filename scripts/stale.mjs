// Whether a build matches the contents of its sources. Times do not tell: every checkout writes new ones.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** All files below a folder, from the root. */
export function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

/** A hash of the names and contents of files, whatever their order. */
export function fingerprintOf(files) {
  const hash = createHash('sha256');
  for (const file of files.toSorted())
    hash
      .update(`${file}\0`)
      .update(readFileSync(join(root, file)))
      .update('\0');
  return hash.digest('hex');
}

/** `stamp` is the file in which the last build left the fingerprint of its sources. */
export function isStale(stamp, fingerprint) {
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint;
}
