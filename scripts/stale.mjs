// Tells whether something that was built is older than what it was built from.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** All files and folders below a folder, from the root: a folder changes when a file of it is added or removed. */
export function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file));
}

/** `stamp` is the file that the last build left. */
export function isStale(stamp, sources) {
  return !existsSync(stamp) || sources.some((file) => statSync(join(root, file)).mtimeMs > statSync(stamp).mtimeMs);
}
