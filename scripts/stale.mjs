// Whether a build matches the contents of its sources. Timestamps are no help: every checkout changes them.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** All files below a folder, as paths from the root, with `/` on every system. */
export function filesBelow(folder) {
  const entries = readdirSync(join(root, folder), { recursive: true, withFileTypes: true });
  return entries.flatMap((entry) =>
    entry.isFile() ? relative(root, join(entry.parentPath, entry.name)).replaceAll(sep, '/') : [],
  );
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
