import { describe, expect, test } from 'vitest';
import type { Json } from '../../../sandbox/world/types.js';
import { alice, fresh, type Harness } from '../support/harness.js';
import { certification } from '../support/records.js';
import { tinyWorld } from '../support/tiny-world.js';

const ROWS = 100;

interface Traits {
  readonly register: string | null;
  readonly diploma: string;
  readonly actif: boolean;
  readonly romes: readonly string[];
}

const traitsOf = (index: number): Traits => ({
  register: index % 10 === 9 ? null : String(3 + (index % 4)),
  diploma: String(3 + (index % 5)),
  actif: index % 3 === 0,
  romes: index % 2 === 0 ? ['M1805', 'D1212'] : ['D1106'],
});

const codeOf = (index: number) => `RNCP${30_000 + index}`;

function row(index: number): Json {
  const made = structuredClone(certification(`46T3${1000 + index}`, codeOf(index))) as Record<string, Json>;
  const { register, diploma, actif, romes } = traitsOf(index);
  const niveau = { cfd: { europeen: diploma, sigle: 'TH4-T' }, rncp: { europeen: register } };
  const rome = { rncp: romes.map((code) => ({ code, intitule: `« ${code}\\", [é] }` })) };
  return {
    ...made,
    intitule: { ...made['intitule'], niveau },
    periode_validite: { ...made['periode_validite'], rncp: { actif } },
    domaines: { ...made['domaines'], rome },
  };
}

const certifications = Array.from({ length: ROWS }, (_, index) => row(index));
const codesOf = (wanted: (traits: Traits) => boolean) =>
  certifications.flatMap((_, index) => (wanted(traitsOf(index)) ? [codeOf(index)] : []));

const onList = (run: (harness: Harness) => Promise<void>) => fresh(run, tinyWorld({ certifications }));

const CODES = 'complete totalCount nodes { identifiant { rncp } }';
const rncpOf = (node: { identifiant: { rncp: string } } | null) => node?.identifiant.rncp ?? null;
const list = ({ send }: Harness, args: string) => send(`{ certifications(${args}) { ${CODES} } }`);

async function codes(harness: Harness, args: string): Promise<(string | null)[]> {
  const { data, errors } = await list(harness, args);
  expect(errors).toEqual([]);
  expect(data.certifications).toMatchObject({ complete: true, totalCount: data.certifications.nodes.length });
  return data.certifications.nodes.map(rncpOf);
}

const WHOLE = 'GET /api/certification/v1 operator';
const BROKEN_OFF = 'work-study broke off its list in the middle, as it does at a record that it cannot read.';

describe('certifications without a code', () => {
  test('cost one call for any number of filters and pages, and for those who ask at once', () =>
    onList(async (harness) => {
      const { send, service } = harness;
      const found = await Promise.all([
        codes(harness, 'level: LEVEL_5, first: 1000'),
        codes(harness, 'romes: ["M1805", "X9999"], first: 1000'),
        codes(harness, 'rncpActive: false, level: LEVEL_4, first: 1000'),
      ]);
      expect(found).toEqual([
        codesOf(({ register, diploma }) => register === '5' || diploma === '5'),
        codesOf(({ romes }) => romes.includes('M1805')),
        codesOf(({ actif, register, diploma }) => !actif && (register === '4' || diploma === '4')),
      ]);
      expect(await codes(harness, 'first: 1000')).toEqual(codesOf(() => true));
      const seen: (string | null)[] = [];
      let [after, more]: [string | null, boolean] = [null, true];
      while (more) {
        const { data } = await send(
          `query ($after: String) { certifications(romes: ["D1106"], first: 7, after: $after) {
            totalCount pageInfo { hasNextPage endCursor }
            nodes { identifiant { rncp } domaines { rome { rncp { intitule } } } }
          } }`,
          { variables: { after }, key: alice },
        );
        const { nodes, pageInfo, totalCount } = data.certifications;
        expect(totalCount).toBe(ROWS / 2);
        expect(nodes[0].domaines.rome.rncp).toEqual([{ intitule: '« D1106\\", [é] }' }]);
        seen.push(...nodes.map(rncpOf));
        [after, more] = [pageInfo.endCursor, pageInfo.hasNextPage];
      }
      expect(seen).toEqual(codesOf(({ romes }) => romes.includes('D1106')));
      expect(service.callLines()).toEqual([WHOLE]);
    }));

  test('with a code, the same filters choose among those of the code', () =>
    onList(async (harness) => {
      const rncp = codeOf(0);
      expect(await codes(harness, `rncp: "${rncp}", level: LEVEL_3, rncpActive: true`)).toEqual([rncp]);
      expect(await codes(harness, `rncp: "${rncp}", romes: ["D1106"]`)).toEqual([]);
      expect(harness.service.callLines()).toEqual([`GET /api/certification/v1?identifiant.rncp=${rncp} operator`]);
    }));

  test('are read on for the next who asks when all who asked have left', () =>
    onList(async (harness) => {
      const { send, service } = harness;
      let go = () => {};
      const until = new Promise<void>((resolve) => {
        go = resolve;
      });
      service.fault({ kind: 'latency', until });
      const leaving = new AbortController();
      const left = send(`{ certifications { ${CODES} } }`, { signal: leaving.signal });
      await service.seen(({ url }) => url === '/api/certification/v1');
      leaving.abort();
      expect((await left).errors).toEqual(['DEADLINE_EXCEEDED certifications']);
      go();
      expect(await codes(harness, 'first: 1000')).toEqual(codesOf(() => true));
      expect(service.callLines()).toEqual([WHOLE]);
    }));

  test('that the source breaks off are those before, say complete: false, and are kept for other filters', () =>
    onList(async (harness) => {
      harness.service.fault({ kind: 'cut' });
      const { data, errors, messages } = await list(harness, 'first: 1000');
      const { nodes, ...rest } = data.certifications;
      expect(rest).toEqual({ complete: false, totalCount: null });
      const before = nodes.slice(0, -1).map(rncpOf);
      expect(before.length).toBeGreaterThan(ROWS / 3);
      expect(before).toEqual(codesOf(() => true).slice(0, before.length));
      expect(nodes.at(-1)).toBeNull();
      expect(errors).toEqual([`UPSTREAM_UNAVAILABLE certifications.nodes.${before.length}`]);
      expect(messages).toEqual([BROKEN_OFF]);
      const other = await list(harness, 'rncpActive: true, first: 2');
      expect(other.data.certifications).toMatchObject({ complete: false, totalCount: null });
      expect(other.data.certifications.nodes.map(rncpOf)).toEqual([codeOf(0), codeOf(3)]);
      expect(other.errors).toEqual([]);
      expect(harness.service.callLines()).toEqual([WHOLE]);
    }));

  test('that cannot be read are errors in their places, whatever is asked for', () =>
    onList(async (harness) => {
      const change = (body: unknown) => [...(body as Json[]).slice(0, 3), null, 7, ...(body as Json[]).slice(3)];
      harness.service.fault({ kind: 'wrong-type', change });
      const { data, errors } = await list(harness, 'rncpActive: true, first: 4');
      expect(data.certifications.nodes.map(rncpOf)).toEqual([codeOf(0), null, null, codeOf(3)]);
      expect(errors).toEqual([1, 2].map((place) => `UPSTREAM_INVALID_RESPONSE certifications.nodes.${place}`));
    }));

  test.each([
    ['a list of nothing', { kind: 'wrong-type', change: () => [] }, 'UPSTREAM_INVALID_RESPONSE', 1],
    ['no list', { kind: 'wrong-type', change: () => ({ data: [] }) }, 'UPSTREAM_INVALID_RESPONSE', 1],
    ['a page of a proxy', { kind: 'html', status: 200 }, 'UPSTREAM_INVALID_RESPONSE', 1],
    ['a refused key', { kind: 'status', status: 401 }, 'SOURCE_OFF', 1],
    ['an outage', { kind: 'status', status: 503 }, 'UPSTREAM_UNAVAILABLE', 2],
    ['a connection that is reset', { kind: 'reset' }, 'UPSTREAM_UNAVAILABLE', 2],
  ] as const)('are an error in place of %s', (_what, fault, code, attempts) =>
    onList(async (harness) => {
      harness.service.fault({ ...fault, times: attempts });
      const { data, errors } = await list(harness, 'level: LEVEL_3');
      expect(data).toEqual({ certifications: null });
      expect(errors).toEqual([`${code} certifications`]);
      expect(harness.service.calls.length).toBe(attempts);
    }),
  );
});
