import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** The rows of a table beside this file, each with its columns. Lines that begin with `#` say where it is from. */
export function readTable(name: string): string[][] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8').split('\n');
  const rows = lines.filter((line) => line !== '' && !line.startsWith('#'));
  // A copy: parts of the text would keep all of it, and two bytes of each character for a single `œ`.
  return rows.map((row) => Buffer.from(row).toString().split('\t'));
}

const { resolve } = createRequire(import.meta.url);

/**
 * A file of official codes, under Licence Ouverte. The exact versions of their packages are pinned, so their form is not
 * checked; tests of what is made of them would notice a change.
 */
export function readOfficialFile<R>(file: string): R {
  return JSON.parse(readFileSync(resolve(file), 'utf8'));
}
