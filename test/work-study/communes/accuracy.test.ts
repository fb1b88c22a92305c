import { describe, expect, it } from 'vitest';
import { sharedWorld } from '../../../sandbox/world/index.js';
import { matchCommune } from '../../../subgraphs/work-study/communes/match-commune.js';

interface Outcome {
  readonly method: string;
  readonly result: 'right' | 'wrong' | 'null';
  readonly resolvable: boolean;
  readonly mission: unknown;
}

/** Every mission of the sandbox, its messy address matched and compared with its real commune. */
function outcomes(): Outcome[] {
  const { missions, truth } = sharedWorld();
  return missions.map((mission) => {
    const { method, insee } = matchCommune(mission);
    const { insee: real, resolvable } = truth.get(String(mission['id'])) ?? { insee: null, resolvable: false };
    const result = insee === null ? 'null' : insee === real ? 'right' : 'wrong';
    return { method, result, resolvable, mission };
  });
}

describe("the sandbox's missions", () => {
  const all = outcomes();

  it('print the table of method against outcome', () => {
    const table: Record<string, Record<string, number>> = {};
    for (const { method, result } of all) {
      table[method] ??= { right: 0, wrong: 0, null: 0 };
      const row = table[method];
      row[result] = (row[result] ?? 0) + 1;
    }
    console.table(table);
    expect(Object.keys(table).length).toBe(8);
  });

  it('are at the right commune in 995 of 1,000 resolvable cases and more', () => {
    const resolvable = all.filter((outcome) => outcome.resolvable);
    const right = resolvable.filter(({ result }) => result === 'right');
    expect(resolvable.length).toBeGreaterThan(4_000);
    expect(right.length / resolvable.length).toBeGreaterThan(0.995);
  });

  it('are never at a wrong commune under a method that is certain', () => {
    const wrong = all.filter(({ result, method }) => result === 'wrong' && method !== 'NEAREST_CENTRE');
    expect(wrong).toEqual([]);
  });
});
