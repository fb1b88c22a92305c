import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Price } from '../../kernel/price.js';
import { sampleQueries } from '../queries/read.js';
import { plainMissions, the } from './samples.js';
import { onlyInProcess, type Stack, startStack } from './stack.js';

/** Guards that no price is too low, and none too high without a reason. */

interface Row {
  readonly scenario: string;
  readonly estimated: number;
  readonly actual: number;
}

/** Longer than any cache entry may be served: reference data, for a week. */
const LONGER_THAN_ANY_ENTRY_MS = 9 * 24 * 3600_000;

/** Why an estimate is higher than the number of calls made, by the name of the query. None may be lower. */
const REASONS: Readonly<Record<string, string>> = {
  counts: 'how many there are is not known before: where totals take no fewer calls, pages are read',
  'mission-domains': 'the same of two counts, which share pages',
  'missions-by-department': 'how many there are is not known before: a count of sixty pages',
  'communes by name, organizations': 'two missions of one organization',
  'communes by name, missions and courses': 'two fields need the same commune first',
  'courses-near-a-commune': 'the commune, which courses need first, is cached',
  'training-centres-near-a-commune': 'the commune, which centres need first, is cached',
  'offers-near-a-commune': 'the commune, which offers need first, is cached',
  'missions-and-workplaces-near-a-commune': 'the commune, which offers need first, is cached',
  'courses-of-a-certification': 'a page counts as full, and each course as elsewhere',
  'missions-and-their-communes': 'several missions in one commune, or in none',
  'missions with what is joined to them': 'several missions in one commune, or in none',
  'found missions with what is joined to them': 'several missions of one organization',
  'communes with what is joined to them': 'a postal code counts as having all of its communes in the list',
  'offers with what is joined to them': 'a search counts as having as many offers as the service sends at most',
  'courses with what is joined to them': 'each course counts as elsewhere',
  'missions-locales': 'a list without `first` counts as all 440 of France',
  'missions-of-a-domain-near-a-commune': 'a page counts as full, and each mission as elsewhere',
  'my-companies': 'a user counts as having ten companies',
  'organizations-that-hire': 'several missions of one organization, or of none',
  'recruiters-that-are-associations': 'ten SIRETs may be searched for one by one',
};

/** The name of a query, without when it was sent. */
function nameOf(scenario: string): string {
  return scenario.replace(/, (first asked|asked again|when [^,]*)$/, '');
}

let stack: Stack;
const rows: Row[] = [];
const headers = () => ({ authorization: `Bearer ${stack.sandbox.keys.waste.token}` });

beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.2 }, env: { MAX_CALLS_PER_REQUEST: '5000' } });
  // The same missions come again when they are no longer cached.
  stack.sandbox.volunteering.order = 'stable';
});
afterAll(async () => {
  vi.useRealTimers();
  await stack.close();
});

interface MeasuredQuery {
  readonly name: string;
  readonly query: string;
  readonly variables?: Record<string, unknown>;
}

/** Sends a query as a dry run and then for real, and counts the calls of both at the wire. */
async function compare(scenario: string, { query, variables = {} }: MeasuredQuery): Promise<void> {
  stack.forgetCalls();
  const dry = await stack.send(query, { variables, headers: { ...headers(), 'x-passerelle-dry-run': '1' } });
  expect(stack.calls(), `${scenario}: a dry run spends nothing`).toEqual([]);
  const { price } = dry.trace as unknown as { price: Price };
  const { errors } = await stack.send(query, { variables, headers: headers() });
  expect(errors, scenario).toEqual([]);
  rows.push({ scenario, estimated: price.total, actual: stack.calls().length });
}

function queries(): MeasuredQuery[] {
  const [mission, other] = plainMissions(stack.sandbox.world);
  const { id } = the(mission);
  const insee = the(other).insee;
  return [
    {
      name: 'a mission with its joins',
      query: `{ mission(id: "${id}") { title commune { nom } organization { title } } }`,
    },
    {
      name: 'the same under two aliases',
      query: `{ a: mission(id: "${the(other).id}") { title } b: mission(id: "${the(other).id}") { city } }`,
    },
    { name: 'missions', query: '{ missions(first: 30) { nodes { title } } }' },
    { name: 'missions, another page size', query: '{ missions(first: 31) { nodes { title city } } }' },
    { name: 'a search', query: '{ missionSearch(first: 10) { nodes { title } } }' },
    { name: 'counts', query: '{ missionCounts(by: [TYPE]) { total } }' },
    { name: 'a commune', query: `{ commune(insee: "${insee}") { nom } }` },
    { name: 'a commune, located', query: `{ commune(insee: "${insee}") { localisation { centre { coordinates } } } }` },
    {
      name: 'a commune, its courses and offers',
      query:
        '{ commune(insee: "31555") { nom formations(first: 5) { nodes { id } } jobSearch { jobs { id } } missions(first: 3) { totalCount } } }',
    },
    { name: 'départements', query: '{ departements { nom } }' },
    { name: 'communes by name', query: '{ communesByName(name: "Rouen", first: 1) { nom } }' },
    {
      name: 'communes by name, located',
      query: '{ communesByName(name: "Rouen", first: 1) { localisation { centre { coordinates } } } }',
    },
    { name: 'offers', query: '{ jobSearch(latitude: 48.85, longitude: 2.35, radius: 10) { jobs { id } } }' },
    {
      name: 'courses',
      query: '{ formations(latitude: 48.85, longitude: 2.35, radius: 10, first: 4) { nodes { id } } }',
    },
    { name: 'training organisations', query: '{ organismes(first: 4) { nodes { id } } }' },
    { name: 'organizations', query: '{ organizations(first: 4) { nodes { title } } }' },
    { name: 'who somebody is', query: '{ viewer { name } }' },
    { name: 'states of the sources', query: '{ sources { name state } }' },
    { name: 'names of types', query: '{ __typename }' },
    { name: 'a field that is skipped', query: `{ mission(id: "${id}") { title commune @skip(if: true) { nom } } }` },
    {
      name: 'three services at once',
      query: '{ missions(first: 7) { nodes { title } } departements { nom } viewer { email } }',
    },
  ];
}

/** Joins on communes of the official list: those of work-study must fetch the commune before their own call. */
function joinsOfNamedCommunes(): MeasuredQuery[] {
  return [
    {
      name: 'communes by name, missions',
      query: '{ communesByName(name: "Saint", first: 6) { nom missions(first: 1) { nodes { title } } } }',
    },
    {
      name: 'communes by name, courses',
      query: '{ communesByName(name: "Cha", first: 6) { formations(first: 1) { nodes { id } } } }',
    },
    {
      name: 'communes by name, offers',
      query: '{ communesByName(name: "Bour", first: 6) { jobSearch { jobs { __typename } } } }',
    },
    {
      name: 'communes by name, located, and missions',
      query:
        '{ communesByName(name: "Lou", first: 6) { localisation { centre { coordinates } } missions(first: 1) { totalCount } } }',
    },
    {
      name: 'communes by name, missions and courses',
      query:
        '{ communesByName(name: "Mar", first: 6) { nom missions(first: 1) { totalCount } formations(first: 1) { nodes { __typename } } } }',
    },
    {
      name: 'communes by name, organizations',
      query:
        '{ communesByName(name: "Fon", first: 3) { missions(first: 1) { totalCount nodes { organization { title } } } } }',
    },
    {
      name: 'a commune that nothing else has, all joins',
      query:
        '{ commune(insee: "29019") { missions(first: 1) { totalCount } formations(first: 1) { nodes { id } } jobSearch { jobs { __typename } } } }',
    },
  ];
}

test.skipIf(onlyInProcess('the table is that of one process; apart, some estimates are higher than the calls made'))(
  'the price of scenarios is what they cost: equal for 85 in 100, below for none',
  async () => {
    const examples = sampleQueries().map(({ name, query, variables }) => ({ name, query, variables }));
    const all: MeasuredQuery[] = [...queries(), ...examples, ...joinsOfNamedCommunes()];
    for (const one of all) await compare(`${one.name}, first asked`, one);
    for (const one of all) await compare(`${one.name}, asked again`, one);
    for (const one of joined()) {
      await stack.send(one.list);
      await compare(`${one.name}, its list cached`, one);
    }
    vi.useFakeTimers({ toFake: ['Date'] });
    // What is asked first costs as much.
    for (const one of [...queries(), ...joined()]) {
      vi.setSystemTime(Date.now() + LONGER_THAN_ANY_ENTRY_MS);
      await compare(`${one.name}, when nothing is cached any more`, one);
    }

    const equal = rows.filter(({ estimated, actual }) => estimated === actual).length;
    for (const { scenario, estimated, actual } of rows) {
      if (estimated !== actual)
        expect(REASONS, `${scenario}: ${estimated} estimated, ${actual} made`).toHaveProperty([nameOf(scenario)]);
      expect(estimated, scenario).toBeGreaterThanOrEqual(actual);
    }
    expect(equal / rows.length, `${equal} of ${rows.length} are equal`).toBeGreaterThanOrEqual(0.85);
  },
);

/** Queries whose list is cached while what is joined to it is not. */
function joined(): (MeasuredQuery & { readonly list: string })[] {
  const lists = [
    ['missions', 'missions(first: 40) { nodes {', 'title', 'commune { nom } organization { title }', '} }'],
    ['found missions', 'missionSearch(first: 12) { nodes {', 'title', 'organization { title }', '} }'],
    ['organizations', 'organizations(first: 9) { nodes {', 'title', 'commune { nom } workplaces { name }', '} }'],
    [
      'communes',
      'communes(code: "76000") {',
      'nom localisation { centre { coordinates } }',
      'missions(first: 2) { totalCount }',
      '}',
    ],
    [
      'offers',
      'jobSearch(latitude: 45.76, longitude: 4.83, radius: 20) { jobs {',
      'id',
      'workplace { commune { nom } }',
      '} }',
    ],
    [
      'courses',
      'formations(latitude: 45.76, longitude: 4.83, radius: 20, first: 6) { nodes {',
      'id',
      'commune { nom }',
      '} }',
    ],
  ] as const;
  return lists.map(([name, open, own, more, end]) => ({
    name: `${name} with what is joined to them`,
    list: `{ ${open} ${own} ${end} }`,
    query: `{ ${open} ${own} ${more} ${end} }`,
  }));
}
