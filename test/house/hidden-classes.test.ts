import { readdirSync, readFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { PreparedOperations } from '../../gateway/memory/memory.js';
import type { Program } from '../../gateway/memory/program.js';
import { unwatched } from '../../kernel/caches.js';
import { requestList, requestSearch } from '../../subgraphs/volunteering/missions/client.js';
import { requestByCodes } from '../../subgraphs/volunteering/organizations/client.js';
import { createCommuneRequests } from '../../subgraphs/work-study/geography/client.js';

setFlagsFromString('--allow-natives-syntax');
const haveSameClass: (one: object, other: object) => boolean = new Function(
  'a',
  'b',
  'return %HaveSameMap(a, b)',
) as never;

const OBJECTS = 200;
/** The engine takes a few objects to learn a literal. */
const LEARNING = 20;

/** How many of the objects that a function makes have another hidden class than the last one. */
function othersAmong(make: (number: number) => object | null): number {
  const made = Array.from({ length: OBJECTS }, (_, number) => present(make(number))).slice(LEARNING);
  const last = present(made.at(-1));
  return made.filter((one) => !haveSameClass(one, last)).length;
}

function present(made: object | null | undefined): object {
  if (made === null || made === undefined) throw new Error('Nothing was made.');
  return made;
}

const page = (number: number) => ({ filter: [], skip: number, limit: 20 });
const rnaOf = (number: number) => `W${String(number).padStart(9, '0')}`;

// A literal that begins with a spread gives each of its objects a hidden class of its own: memory for each, and slow
// reads for all.
describe('objects that are made for each request or kept for many share one hidden class', () => {
  const communes = createCommuneRequests(unwatched);
  const prepared = new PreparedOperations(unwatched);
  const program = { id: 1 } as unknown as Program;
  it.each<[string, (number: number) => object | null]>([
    ['a look-up of a commune', (number) => communes.ofInsee(String(35_000 + number))],
    ['a request for communes', (number) => communes.ofDigits(String(35_000 + number))],
    ['a list of missions', (n) => requestList(page(n))],
    ['a search of missions', (n) => requestSearch(page(n))],
    ['an organization by its codes', (n) => requestByCodes({ siret: null, rna: rnaOf(n) })],
    [
      'an operation with its arguments',
      (n) => prepared.find(program, { n }, () => ({ args: [{ n }], cost: { items: n, bytes: 50 } })),
    ],
  ])('%s', (_name, make) => {
    expect(othersAmong(make)).toBe(0);
  });
});

// It saves lines, and costs as much as any other spread that comes first: in the report of each request it made a
// look-up take 1.6 times the CPU.
it('no object spreads a literal to begin with', () => {
  const rooms = ['gateway', 'kernel', 'runtime', 'subgraphs', 'wiring'];
  const files = rooms.flatMap((room) =>
    readdirSync(new URL(`../../${room}/`, import.meta.url), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => `${room}/${file}`),
  );
  expect(files.length).toBeGreaterThan(200);
  const text = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');
  expect(files.filter((file) => /^ *\.\.\.\{/m.test(text(file)))).toEqual([]);
});
