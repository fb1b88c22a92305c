import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

/**
 * Guards that texts are read as dates by `kernel/dates.ts` alone: `Date` itself takes nearly any text for a date, in the
 * zone of its process, and rolls 30 February over.
 */

const root = fileURLToPath(new URL('../../', import.meta.url));
const ROOMS = ['analyst', 'gateway', 'kernel', 'rows', 'runtime', 'subgraphs', 'wiring'];

const READ = /Date\.parse\([^)]*\)|new Date\([^)]+\)/g;
/** Milliseconds: a number, an instant by its name, or what is computed. */
const OF_NUMBER = /^new Date\((?:\d|Math\.|Date\.(?:UTC|now)\(|instantOf\(|(?:\w+\.)?(?:ms|now|time|created|\w+Ms)\b)/;

/** Not of foreign texts, or of those whose form was checked. */
const ALLOWED = [
  "kernel/dates.ts: Date.parse('0001-01-01')",
  'kernel/dates.ts: Date.parse(written)',
  'kernel/dates.ts: new Date(day)',
  // `Retry-After` and `Date` of HTTP, which end with GMT (RFC 9110, 5.6.7).
  'subgraphs/rest/ports/transport.ts: Date.parse(text)',
  // A month that was written here.
  // biome-ignore lint/suspicious/noTemplateCurlyInString: as it is in the code
  'subgraphs/volunteering/missions/totals.ts: new Date(`${month}-01`)',
];

function datesRead(text: string): string[] {
  const code = text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '');
  return (code.match(READ) ?? []).filter((read) => !OF_NUMBER.test(read));
}

test('no text is read as a date but by the one reader', () => {
  const found = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.tsx?$/.test(file) && !file.includes('__generated__'))
      .map((file) => join(room, file)),
  ).flatMap((file) => datesRead(readFileSync(join(root, file), 'utf8')).map((read) => `${file}: ${read}`));
  expect(found.sort()).toEqual(ALLOWED);
});

test.each(['return Date.parse(row.createdAt);', 'const day = new Date(text);', 'sort((a, b) => +new Date(a.startAt))'])(
  '%s is found',
  (text) => {
    expect(datesRead(text)).toHaveLength(1);
  },
);
