// Whether a build matches the contents of its sources. Timestamps are no help: every checkout changes them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import nodePath, { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** All files below a folder, as paths from the root, with `/` on every system. */
export function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => fromRoot(root, entry));
}

/** A folder's entry as a path from `root`, with `/`. `path` is node:path, or its form for another system. */
export function fromRoot(root, { parentPath, name }, path = nodePath) {
  return path.relative(root, path.join(parentPath, name)).replaceAll(path.sep, '/');
}

/** The files that are read at run time but not compiled: SDL, examples, tables, files of the home page. */
export function copied(files) {
  return files.filter((name) => /\.(graphql|html|css|svg|js|tsv)$/.test(name) && name.includes('/'));
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

/** Whether a build is out of date. `stamp` is the file in which the last build stored its sources' fingerprint. */
export function isStale(stamp, fingerprint) {
  return !existsSync(stamp) || readFileSync(stamp, 'utf8') !== fingerprint;
}
