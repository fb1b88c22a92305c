import { describe, expect, it } from 'vitest';
import { alice, fresh, sharedHarness } from '../support/harness.js';

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

  it('is reference data: fetched with the operator’s key and kept for everyone', () =>
    fresh(async ({ send, service }) => {
      await send('{ certifications(rncp: "RNCP500") { totalCount } }', { key: alice });
      await send('{ certifications(rncp: "RNCP500") { nodes { intitule { rncp } } } }');
      expect(service.callLines()).toEqual([list('identifiant.rncp=RNCP500')]);
    }));
});

describe('a certification', () => {
  const EVERYTHING = `{
    identifiant { cfd rncp rncpAnterieur2019 }
    intitule { cfd { long court } niveau { cfd { europeen europeenRaw formationDiplome interministeriel libelle sigle } rncp { europeen } } rncp }
    baseLegale { cfd { creation abrogation } } blocsCompetences { rncp { code intitule } } conventionCollectives { rncp { numero intitule } }
    domaines { formacodes { rncp { code intitule } } nsf { cfd { code intitule } rncp { code } } rome { rncp { code intitule } } }
    periodeValidite { debut fin cfd { ouverture fermeture premiereSession derniereSession } rncp { actif activation debutParcours finEnregistrement } }
    type { nature { cfd { code libelle } } gestionnaireDiplome enregistrementRncp enregistrementRncpRaw
      voieAcces { rncp { apprentissage experience candidatureIndividuelle contratProfessionnalisation formationContinue formationStatutEleve } }
      certificateursRncp { siret nom } }
    continuite { cfd { ouverture fermeture code courant } rncp { activation finEnregistrement code courant actif } }
  }`;

  it('keeps dates with the offset of their day, numbers and lists as they were sent', () =>
    fresh(async ({ send }) => {
      const { data, errors } = await send(`{ certifications(cfd: "46T31203") { nodes ${EVERYTHING} } }`);
      expect(errors).toEqual([]);
      expect(data.certifications.nodes[0]).toMatchObject({
        intitule: { niveau: { cfd: { europeen: 'LEVEL_4', europeenRaw: null, formationDiplome: '46T' } } },
        baseLegale: { cfd: { creation: null, abrogation: '2028-07-25T23:59:59.000+02:00' } },
        periodeValidite: { debut: null, fin: '2028-01-25T23:59:59.000+01:00', cfd: { premiereSession: 2015 } },
        type: { enregistrementRncp: 'ENREGISTREMENT_DE_DROIT', enregistrementRncpRaw: null },
        continuite: { cfd: [{ code: '46T31203', courant: true }] },
      });
    }));

  it.each([
    ['without a CFD', 'cfd: null'],
    ['without an RNCP record', 'rncp: null'],
  ])('has nulls, and no error, for all that derives from a missing code: %s', (_case, args) =>
    fresh(async ({ send }) => {
      const { data, errors } = await send(`{ certifications(${args}) { nodes ${EVERYTHING} } }`);
      expect(errors).toEqual([]);
      const [certification] = data.certifications.nodes;
      const missing = args.startsWith('cfd') ? 'cfd' : 'rncp';
      for (const part of ['intitule', 'continuite', 'periodeValidite', 'identifiant']) {
        expect(certification[part][missing], part).toBeNull();
      }
      expect(certification.intitule.niveau[missing]).toBeNull();
      expect(certification.domaines.nsf[missing]).toBeNull();
    }),
  );

  it('shows a word that is not known as OTHER with its text, and counts it', () =>
    fresh(async ({ send, service, drifts }) => {
      const set = { '/0/type/enregistrement_rncp': 'Enregistrement rêvé', '/0/intitule/niveau/rncp/europeen': '9' };
      service.fault({ kind: 'wrong-type', set });
      const { data, errors } = await send(
        '{ certifications(rncp: "RNCP500") { nodes { type { enregistrementRncp enregistrementRncpRaw } intitule { niveau { rncp { europeen europeenRaw } } } } } }',
      );
      expect(errors).toEqual([]);
      expect(data.certifications.nodes).toEqual([
        {
          type: { enregistrementRncp: 'OTHER', enregistrementRncpRaw: 'Enregistrement rêvé' },
          intitule: { niveau: { rncp: { europeen: 'OTHER', europeenRaw: '9' } } },
        },
      ]);
      expect(drifts).toContain('Certification.type.enregistrement_rncp');
    }));

  it('answers a ROME code that is a bare letter', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', set: { '/0/domaines/rome/rncp/0/code': 'M' } });
      const { data, errors } = await send(
        '{ certifications(rncp: "RNCP500") { nodes { domaines { rome { rncp { code } } } } } }',
      );
      expect(errors).toEqual([]);
      expect(data.certifications.nodes[0].domaines.rome.rncp).toEqual([{ code: 'M' }]);
    }));

  it('leads to offers and trainings by its record, and to none of them, without a call, when it has no record', () =>
    fresh(async ({ send, service }) => {
      const links =
        '{ nodes { jobSearch(departements: ["75"]) { truncated jobs { identifier { id } } } formations(first: 2) { totalCount nodes { identifiant { cleMinistereEducatif } } } } }';
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
