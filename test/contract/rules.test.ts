import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { readContract } from './graph.js';

interface Rule {
  readonly id: string;
  readonly text: string;
  readonly testable: boolean;
}

/** Testable rules that no test here can check, with the reason. */
const UNTESTED: Readonly<Record<string, string>> = {};

const rules = readContract<Rule>('rules');
const testable = rules.filter((rule) => rule.testable);
const named = namesOfTests();

/** Identifiers at the beginning of a test's name: `test('WS-20, WS-21 …`. A mention anywhere else does not count. */
function namesOfTests(): ReadonlySet<string> {
  const root = new URL('..', import.meta.url).pathname;
  const files = readdirSync(root, { encoding: 'utf8', recursive: true }).filter((file) => file.endsWith('.test.ts'));
  const sources = files.map((file) => readFileSync(`${root}/${file}`, 'utf8'));
  const beginnings = sources.flatMap((source) => source.match(/(?<=[[(]\s*['"`])(?:(?:WS|WI|VO)-\d+,? )+/g) ?? []);
  return new Set(beginnings.flatMap((beginning) => beginning.match(/[A-Z]+-\d+/g) ?? []));
}

describe('Every documented rule that can be tested is tested', () => {
  test.each(testable.map(({ id, text }) => [id, text] as const))('%s: %s', (id) => {
    if (UNTESTED[id] === undefined) expect([...named], `no test begins with ${id}`).toContain(id);
    else expect(named.has(id), `${id} is tested and need not be excused`).toBe(false);
  });

  afterAll(() => {
    const found = testable.filter(({ id }) => named.has(id));
    console.log(`contract: ${found.length} of ${testable.length} testable rules`);
    for (const [id, reason] of Object.entries(UNTESTED)) console.log(`contract: ${id} is left out: ${reason}`);
  });
});

test('every rule that a test names is documented', () => {
  const known = new Set(rules.map(({ id }) => id));
  expect([...named].filter((id) => !known.has(id))).toEqual([]);
});
