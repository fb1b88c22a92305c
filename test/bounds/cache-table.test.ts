import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { CACHES } from '../../schema/caches.js';
import { SERVICES } from '../../schema/services.js';
import { type MeteredStack, startMeteredStack } from './support/metered-stack.js';

const OPERATORS = new URL('../../docs/operators.md', import.meta.url);
const ROW = /^\| `([a-z-]+)`[^|]* \| (gateway|per service|work-study) \| (\d+) MiB\b/gm;

interface Row {
  readonly name: string;
  readonly where: string;
  readonly boundBytes: number;
}

function tableOfOperators(): readonly Row[] {
  const [, section = ''] = readFileSync(OPERATORS, 'utf8').split('### 8.4 ');
  return [...section.matchAll(ROW)].map(([, name = '', where = '', mebibytes]) => ({
    name,
    where: where === 'per service' ? 'service' : where,
    boundBytes: Number(mebibytes) * 1024 * 1024,
  }));
}

/** The cache of a production that calls the real service. */
const ELSEWHERE = new Set(['used-communes']);

describe('The table of caches for operators', () => {
  test('names the caches of the program and their bounds', () => {
    const caches = Object.entries(CACHES).map(([name, cache]) => ({ name, ...cache }));
    expect(new Set(tableOfOperators())).toEqual(new Set(caches));
  });

  test('names the caches that metrics report, with the same bounds', async () => {
    let stack: MeteredStack | undefined;
    try {
      stack = await startMeteredStack();
      const reported = await stack.server.caches();
      const expected = tableOfOperators()
        .filter(({ name }) => !ELSEWHERE.has(name))
        .flatMap(({ name, where, boundBytes }) =>
          (where === 'service' ? SERVICES : [where]).map((place) => ({ cache: `${name} ${place}`, boundBytes })),
        );
      expect(new Set(reported.map(({ cache, boundBytes }) => ({ cache, boundBytes })))).toEqual(new Set(expected));
      expect(reported.every(({ bytes }) => bytes >= 0)).toBe(true);
    } finally {
      await stack?.close();
    }
  });
});
