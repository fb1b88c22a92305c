import { describe, expect, it } from 'vitest';
import { alice, fresh, sharedHarness } from '../support/harness.js';
import { formation, offer, storeId, workplace } from '../support/records.js';
import { tinyWorld } from '../support/tiny-world.js';

const harness = sharedHarness();

const search = (query: string) => `GET /api/formation/v1/search?${query} operator`;
const keysOf = (connection: { nodes: { identifiant: { cleMinistereEducatif: string } }[] }) =>
  connection.nodes.map(({ identifiant }) => identifiant.cleMinistereEducatif);
const KEYS = 'nodes { identifiant { cleMinistereEducatif } }';

describe('formations', () => {
  it.each([
    ['first: 3', 'page_size=3&page_index=0'],
    [
      'latitude: 48.8588, longitude: 2.347, radius: 5',
      'latitude=48.8588&longitude=2.347&radius=5&page_size=25&page_index=0',
    ],
    ['targetDiplomaLevel: LEVEL_8', 'target_diploma_level=8&page_size=25&page_index=0'],
    ['romes: ["M1805", "D1212"], rncp: "RNCP500"', 'romes=M1805%2CD1212&rncp=RNCP500&page_size=25&page_index=0'],
    ['rncp: "500"', 'rncp=RNCP500&page_size=25&page_index=0'],
    ['includeArchived: true', 'include_archived=true&page_size=25&page_index=0'],
    ['includeArchived: false, first: 2', 'page_size=2&page_index=0'],
  ])('(%s) is sent as %j', async (args, query) => {
    expect((await harness.send(`{ formations(${args}) { ${KEYS} } }`)).errors).toEqual([]);
    expect(harness.service.callLines()).toEqual([search(query)]);
  });

  it('lists published courses, archived ones on request, removed ones never', async () => {
    const { data } = await harness.send(
      `{ a: formations { ${KEYS} } b: formations(includeArchived: true) { nodes { statut { catalogue } } } }`,
    );
    expect(data.a.nodes).toHaveLength(3);
    expect(new Set(data.b.nodes.map((one: { statut: { catalogue: string } }) => one.statut.catalogue))).toEqual(
      new Set(['PUBLIE', 'ARCHIVE']),
    );
  });

  it('walks every course once, also when the page size changes on the way', () =>
    fresh(
      async ({ send, service }) => {
        const walked: string[] = [];
        let after: string | null = null;
        for (const first of [2, 3, 1, 4, 100]) {
          const { data } = await send(
            `query ($after: String) { formations(first: ${first}, after: $after) { ${KEYS} totalCount pageInfo { hasNextPage endCursor } } }`,
            { variables: { after } },
          );
          walked.push(...keysOf(data.formations));
          expect(data.formations.totalCount).toBeNull();
          expect(data.formations.pageInfo.hasNextPage).toBe(walked.length < 11);
          after = data.formations.pageInfo.endCursor;
        }
        expect(walked).toEqual(Array.from({ length: 11 }, (_, index) => `key-${index}#L01`));
        expect(service.callLines()).toContain(search('page_size=3&page_index=1'));
      },
      tinyWorld({ formations: Array.from({ length: 11 }, (_, index) => formation(`key-${index}#L01`)) }),
    ));

  it('walks on behind an empty page before the end', () =>
    fresh(
      async ({ send, service }) => {
        service.fault({ kind: 'wrong-type', times: 1, set: { '/data': [] } });
        const walked: string[][] = [];
        for (let after = null, more = true; more && walked.length < 5; ) {
          const { data } = await send(
            `query ($after: String) { formations(first: 2, after: $after) { ${KEYS} pageInfo { hasNextPage endCursor } } }`,
            { variables: { after } },
          );
          walked.push(keysOf(data.formations));
          more = data.formations.pageInfo.hasNextPage;
          after = data.formations.pageInfo.endCursor;
        }
        expect(walked).toEqual([[], ['key-2#L01', 'key-3#L01'], ['key-4#L01']]);
      },
      tinyWorld({ formations: Array.from({ length: 5 }, (_, index) => formation(`key-${index}#L01`)) }),
    ));

  it('says for an empty page whether courses follow, without a cursor of its own', async () => {
    const { data } = await harness.send(`{ formations(first: 0) { ${KEYS} pageInfo { hasNextPage endCursor } } }`);
    expect(data).toEqual({ formations: { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } } });
    expect(harness.service.calls).toHaveLength(1);
  });

  it('searches around a commune’s centre, nearest first', () =>
    fresh(async ({ send, service }) => {
      const { data } = await send(
        `{ commune(insee: "75056") { formations(radius: 10, first: 2) { ${KEYS} pageInfo { hasNextPage } } } }`,
      );
      expect(keysOf(data.commune.formations)).toEqual([
        '049510P01118838776490001178615112600012-49099#L01',
        'key-2#L01',
      ]);
      expect(data.commune.formations.pageInfo.hasNextPage).toBe(true);
      expect(service.callLines()).toEqual([
        search('latitude=48.8588&longitude=2.347&radius=10&page_size=2&page_index=0'),
        'GET /api/geographie/v1/commune/search?code=75056 operator',
      ]);
    }));
});

describe('JobOffer.formations', () => {
  const OFFERS = `{ jobSearch { jobs { formations(radius: 10, first: 1) { totalCount ${KEYS} } } } }`;

  it('searches by the offer’s occupations around its workplace', () =>
    fresh(
      async ({ send, service }) => {
        const { data, errors } = await send(OFFERS);
        expect(errors).toEqual([]);
        expect(keysOf(data.jobSearch.jobs[0].formations)).toEqual([
          '049510P01118838776490001178615112600012-49099#L01',
        ]);
        expect(service.callLines()).toEqual([
          search('latitude=48.850699&longitude=2.308628&radius=10&romes=M1805&page_size=1&page_index=0'),
          'GET /api/job/v1/search operator',
        ]);
      },
      tinyWorld({ offers: [offer({ id: storeId(1) })] }),
    ));

  it('searches the whole country for a workplace without a position, and nobody without an occupation', () =>
    fresh(
      async ({ send, service }) => {
        const { data } = await send(OFFERS);
        expect(
          data.jobSearch.jobs.map((job: { formations: { nodes: unknown[] } }) => job.formations.nodes.length),
        ).toEqual([1, 0]);
        expect(service.callLines()).toEqual([
          search('romes=M1805&page_size=1&page_index=0'),
          'GET /api/job/v1/search operator',
        ]);
      },
      tinyWorld({
        offers: [
          offer({
            id: storeId(1),
            workplace: workplace({ location: { address: '', geopoint: { type: 'Point', coordinates: [0, 0] } } }),
          }),
          offer({ id: storeId(2), label: 'Hellowork', offer: { rome_codes: [] } }),
        ],
      }),
    ));
});

describe('formation(id)', () => {
  it('finds a course by a key with a # in it, whatever its status, and answers every part', () =>
    fresh(async ({ send, service }) => {
      const { data, errors } = await send(`{
        formation(id: "049510P01118838776490001178615112600012-49099#L01") {
          statut { catalogue catalogueRaw } contact { email telephone } modalite { entierementADistance dureeIndicative anneeCycle mef10 }
          formateur { connu organisme { identifiant { uai siret } uniteLegale { siren raisonSociale creation } statut { referentiel referentielRaw } contacts { email sources confirmationReferentiel } renseignementsSpecifiques { qualiopi numeroActivite } etablissement { ouvert adresse { codePostal commune { nom codeInsee } region { codeInsee } academie { id } } geopoint { coordinates } creation } } }
          certification { connue valeur { identifiant { rncp } } }
          lieu { precision siret uai geolocalisation { coordinates } adresse { label departement { codeInsee } } }
          onisep { url discipline } contenuEducatif { contenu objectif } sessions { debut fin capacite }
          commune { nom }
        }
        removed: formation(id: "gone#L01") { statut { catalogue } commune { nom } }
        unknown: formation(id: "nobody#L01") { statut { catalogue } }
        route: formation(id: "search") { statut { catalogue } }
      }`);
      expect(errors).toEqual([]);
      expect(data.formation).toMatchObject({
        statut: { catalogue: 'PUBLIE', catalogueRaw: null },
        formateur: {
          connu: true,
          organisme: {
            identifiant: { uai: '0352660B' },
            statut: { referentiel: 'PRESENT' },
            uniteLegale: { siren: '193500303', creation: '1969-12-30T08:03:18.000+01:00' },
          },
        },
        lieu: { precision: 15, adresse: { departement: { codeInsee: '75' } } },
        sessions: [{ debut: '2026-09-01T02:00:00.000+02:00', capacite: 10 }],
        commune: { nom: 'Paris' },
      });
      expect(data.removed).toEqual({ statut: { catalogue: 'SUPPRIME' }, commune: null });
      expect([data.unknown, data.route]).toEqual([null, null]);
      expect(service.callLines()).toContain(
        'GET /api/formation/v1/049510P01118838776490001178615112600012-49099%23L01 operator',
      );
    }));
});

describe('generateAppointmentLink', () => {
  const LINK =
    'mutation ($input: AppointmentInput!) { generateAppointmentLink(input: $input) { userErrors { message } formUrl cleMinistereEducatif etablissementFormateurSiret } }';

  it.each([[{}], [{ parcoursupId: '1', onisepId: '2' }], [{ parcoursupId: null }]])(
    'refuses %j without a call',
    async (input) => {
      const { messages } = await harness.send(LINK, { key: alice, variables: { input } });
      expect(messages).toEqual([expect.stringMatching(/AppointmentInput|parcoursupId/)]);
      expect(harness.service.calls).toEqual([]);
    },
  );

  it('gives a link, or the source’s refusal as an error of the user', async () => {
    const input = { cleMinistereEducatif: 'key-2#L01' };
    const { data, errors } = await harness.send(LINK, { key: alice, variables: { input } });
    expect(errors).toEqual([]);
    const { userErrors, formUrl } = data.generateAppointmentLink;
    expect(userErrors.length > 0).toBe(formUrl === null);
    expect(harness.service.calls[0]?.body).toEqual({ cle_ministere_educatif: 'key-2#L01' });
  });
});
