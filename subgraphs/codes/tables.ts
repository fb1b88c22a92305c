import { readFileSync } from 'node:fs';

/** The rows of a table beside this file, each with its columns. Lines that begin with `#` say where it is from. */
export function readTable(name: string): string[][] {
  const lines = readFileSync(new URL(name, import.meta.url), 'utf8').split('\n');
  return lines.filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.split('\t'));
}
