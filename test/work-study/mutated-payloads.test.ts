import fc from 'fast-check';
import { type DocumentNode, execute, getNamedType, isObjectType, parse } from 'graphql';
import { afterAll, describe, expect, it } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { NO_FIGURES } from '../../kernel/source-figures.js';
import { systemClock } from '../../subgraphs/rest/ports/ports.js';
import type { UpstreamService } from '../../subgraphs/rest/upstream.js';
import { createWorkStudySubgraph } from '../../subgraphs/work-study/index.js';
import { runs } from '../runs.js';
import { certification, formation, offer, recruiter, storeId } from './support/records.js';
import { tinyWorld } from './support/tiny-world.js';

/** The body of every response of the stub below. */
let payload: unknown;

/** A service without a wire, for speed over thousands of payloads; clients parse its responses like any other's. */
const upstream: UpstreamService = {
  origin: { service: 'work-study', drift: () => {} },
  recall: () => undefined,
  read: (request, operation) => upstream.call(request, operation),
  call: async (request) => request.parse({ json: payload, origin: upstream.origin }, request),
  // biome-ignore lint/correctness/useYield: a file that is never there.
  async *download() {
    throw new Error('There is no export here.');
  },
  status: () => ({ state: 'UP', upstream: 'sandbox' }),
  figures: () => NO_FIGURES,
  version: () => null,
  close: async () => {},
};

const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const subgraph = createWorkStudySubgraph({
  upstream,
  cacheFolder: null,
  exportPlaces: { baseUrl: 'http://service.test', hosts: [] },
  clock: systemClock,
  log: silent,
});
afterAll(() => subgraph.close());

/** Fields that need further calls, or the export, or lead to an object of the same type. */
const JOINS = new Set([
  'commune',
  'jobSearch',
  'formations',
  'trainingOrganizations',
  'exportedOffers',
  'parent',
  'epci',
  'certifications',
  'offerCount',
  'recruiterCount',
  'codeInExport',
]);

/** A selection of everything below a type except joins. */
function everything(typeName: string): string {
  const type = subgraph.schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  const fields = Object.values(type.getFields()).filter(
    ({ name }) => !JOINS.has(name) || ['Adresse'].includes(typeName),
  );
  const selected = fields.map(({ name, type: of }) => {
    const named = getNamedType(of);
    return isObjectType(named) ? `${name} ${everything(named.name)}` : name;
  });
  return `{ ${selected.join(' ')} }`;
}

const QUERIES: readonly { readonly what: string; readonly source: string; readonly sample: unknown }[] = [
  {
    what: 'communes',
    source: `{ list: communes(code: "75001") ${everything('Commune')} }`,
    sample: tinyWorld().communes,
  },
  {
    what: 'missions locales',
    source: `{ list: missionsLocales ${everything('MissionLocale')} }`,
    sample: tinyWorld().missionsLocales,
  },
  {
    what: 'a job search',
    source: `{ list: jobSearch ${everything('JobSearchResult')} }`,
    sample: {
      jobs: [1, 2, 3].map((id) => offer({ id: storeId(id) })),
      recruiters: [recruiter(storeId(4))],
      warnings: [{ code: 'JOB_NOT_FOUND', message: 'The job offer has not been found.' }],
    },
  },
  {
    what: 'certifications',
    source: `{ list: certifications(rncp: "RNCP37098") { nodes ${everything('Certification')} } }`,
    sample: [certification('46T31203', 'RNCP37098'), certification(null, 'RNCP500'), certification('01321401', null)],
  },
  {
    what: 'formations',
    source: `{ list: formations { nodes ${everything('Formation')} pageInfo { hasNextPage } } }`,
    sample: { data: [formation('a#1'), formation('b#1')], pagination: { page_count: 1, page_size: 25, page_index: 0 } },
  },
];

function operation(): OperationContext {
  return {
    requestId: 'test',
    request: {},
    deadline: { remainingMs: () => 1000 },
    signal: new AbortController().signal,
    credential: null,
    internal: false,
    planNode: '',
    recorder: { elapsedMs: () => 0, record() {}, readStored() {}, forbidCaching() {} },
  };
}

async function response(document: DocumentNode, json: unknown) {
  payload = json;
  return execute({ schema: subgraph.schema, document, contextValue: subgraph.contextFor(operation()) });
}

/** The path of every value in a payload. */
function placesIn(value: unknown, path: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...path]];
  return [[...path], ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

/** The payload with another value at one path, or without that path. */
function mutated(
  json: unknown,
  [key, ...rest]: readonly string[],
  change: { readonly to: unknown } | 'left out',
): unknown {
  if (key === undefined) return change === 'left out' ? null : change.to;
  const copy = (Array.isArray(json) ? [...json] : { ...(json as object) }) as Record<string, unknown>;
  if (rest.length === 0 && change === 'left out' && Array.isArray(copy)) copy.splice(Number(key), 1);
  else if (rest.length === 0 && change === 'left out') delete copy[key];
  else copy[key] = mutated(copy[key], rest, change);
  return copy;
}

/** For each of the five payloads. */
const MUTATIONS = runs(100);

const aChange = fc.oneof(fc.constant('left out' as const), fc.record({ to: fc.jsonValue({ maxDepth: 2 }) }));

describe('payloads that are not what the service documents', () => {
  it.each(QUERIES)('$what: the documented form passes whole', async ({ source, sample }) => {
    expect((await response(parse(source), sample)).errors).toBeUndefined();
  });

  it.each(QUERIES)('$what: a change anywhere is at most coded errors in its own place', async ({ source, sample }) => {
    const document = parse(source);
    const whole = (await response(document, sample)).data;
    const places = placesIn(sample);
    let seen = 0;
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...places), aChange, async (place, change) => {
        const { data, errors = [] } = await response(document, mutated(sample, place, change));
        seen += errors.length === 0 ? 0 : 1;
        const stray = errors.filter(
          ({ extensions, path }) => extensions['code'] !== 'UPSTREAM_INVALID_RESPONSE' || path?.[0] !== 'list',
        );
        // One assertion per run: more would take longer than what they check.
        expect([stray, Object.keys(data ?? {})]).toEqual([[], Object.keys(whole ?? {})]);
      }),
      { numRuns: MUTATIONS, seed: 20_260_101 },
    );
    expect(seen).toBeGreaterThan(MUTATIONS / 10);
  });
});
