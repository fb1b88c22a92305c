import { describe, expect, it } from 'vitest';
import { fresh, sharedHarness } from '../support/harness.js';

const harness = sharedHarness();
const run = (test: (on: typeof harness) => Promise<void>) => test(harness);

const list = (query: string) => `GET /api/certification/v1?${query} operator`;

describe('certifications(cfd, rncp)', () => {
  it.each([
    ['rncp: "RNCP37098"', 'identifiant.rncp=RNCP37098', ['46T31203', '46T31204']],
    ['cfd: "46T31204", rncp: "37098"', 'identifiant.cfd=46T31204&identifiant.rncp=RNCP37098', ['46T31204']],
    ['cfd: "46T31203"', 'identifiant.cfd=46T31203', ['46T31203']],
    ['cfd: "46T31203", rncp: "RNCP37098"', 'identifiant.cfd=46T31203&identifiant.rncp=RNCP37098', ['46T31203']],
    ['cfd: null', 'identifiant.cfd=null', [null]],
    ['rncp: null', 'identifiant.rncp=null', ['01321401']],
    ['cfd: null, rncp: "RNCP500"', 'identifiant.cfd=null&identifiant.rncp=RNCP500', [null]],
    ['rncp: "RNCP999"', 'identifiant.rncp=RNCP999', []],
  ])('tells a value, "has none" and "any" apart: (%s)', (args, query, cfds) =>
    run(async ({ send, service }) => {
      const { data, errors } = await send(`{ certifications(${args}) { totalCount nodes { identifiant { cfd } } } }`);
      expect(errors).toEqual([]);
      expect(data.certifications).toEqual({
        totalCount: cfds.length,
        nodes: cfds.map((cfd) => ({ identifiant: { cfd } })),
      });
      expect(service.callLines()).toEqual([list(query)]);
    }),
  );

  it.each([
    ['(romes: ["M1"])', 'romes is not a ROME code'],
    ['(cfd: "46t31203")', 'cfd is not a CFD code'],
    ['(rncp: "RNCP12")', 'rncp is not an RNCP code'],
    ['(rncp: "RNCP37098", first: 1001)', 'first must be at most 1000 here'],
    ['(rncp: "RNCP37098", after: "forged")', 'after is not a cursor'],
  ])('refuses %s without a call', (args, message) =>
    run(async ({ send, service }) => {
      const { errors, messages } = await send(`{ certifications${args} { totalCount } }`);
      expect(errors).toEqual(['BAD_USER_INPUT certifications']);
      expect(messages[0]).toContain(message);
      expect(service.calls).toEqual([]);
    }),
  );

  it('treats a variable that is not given as "any" and one that is null as "has none"', () =>
    fresh(async ({ send, service }) => {
      const source = 'query ($cfd: CFDCode, $rncp: RNCPCode) { certifications(cfd: $cfd, rncp: $rncp) { totalCount } }';
      await send(source, { variables: { rncp: 'RNCP37098' } });
      await send(source, { variables: { rncp: 'RNCP37098', cfd: null } });
      expect(service.callLines()).toEqual([
        list('identifiant.cfd=null&identifiant.rncp=RNCP37098'),
        list('identifiant.rncp=RNCP37098'),
      ]);
    }));

  it('walks every certification once, page by page, with one call in all', () =>
    fresh(async ({ send, service }) => {
      const source =
        'query ($after: String) { certifications(rncp: "RNCP37098", first: 1, after: $after) { nodes { identifiant { cfd } } edges { cursor } pageInfo { hasNextPage endCursor } } }';
      const one = (await send(source)).data.certifications;
      const two = (await send(source, { variables: { after: one.pageInfo.endCursor } })).data.certifications;
      expect([one, two].map((page) => page.nodes[0].identifiant.cfd)).toEqual(['46T31203', '46T31204']);
      expect([one, two].map((page) => page.pageInfo.hasNextPage)).toEqual([true, false]);
      expect(one.edges[0].cursor).toBe(one.pageInfo.endCursor);
      expect(service.calls).toHaveLength(1);
    }));

  it('refuses a cursor of the list without a code for the list with any', () =>
    run(async ({ send }) => {
      const { data } = await send('{ certifications(cfd: null) { pageInfo { endCursor } } }');
      const { endCursor } = data.certifications.pageInfo;
      const { errors } = await send(`{ certifications(rncp: "RNCP500", after: "${endCursor}") { totalCount } }`);
      expect(errors).toEqual(['BAD_USER_INPUT certifications']);
    }));
});

describe('a certification', () => {
  it('leads to offers and trainings by its record, and to none of them, without a call, when it has no record', () =>
    fresh(async ({ send, service }) => {
      const links =
        '{ nodes { jobSearch(departements: ["75"]) { truncated jobs { identifier { offerId } } } formations(first: 2) { totalCount nodes { identifiant { cleMinistereEducatif } } } } }';
      const found = await send(`{ certifications(rncp: "RNCP500") ${links} }`);
      expect(found.errors).toEqual([]);
      expect(found.data.certifications.nodes[0].formations.nodes).toHaveLength(1);
      expect(service.callLines()).toEqual([
        list('identifiant.rncp=RNCP500'),
        'GET /api/formation/v1/search?rncp=RNCP500&page_size=2&page_index=0 operator',
        'GET /api/job/v1/search?rncp=RNCP500&departements=75 operator',
      ]);
      service.clearCalls();
      const none = await send(`{ certifications(rncp: null) ${links} }`);
      expect(none.data.certifications.nodes).toEqual([
        { jobSearch: { truncated: false, jobs: [] }, formations: { totalCount: null, nodes: [] } },
      ]);
      expect(service.callLines()).toEqual([list('identifiant.rncp=null')]);
    }));
});
