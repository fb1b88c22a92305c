import { describe, expect, it } from 'vitest';
import { fresh, sharedHarness } from '../support/harness.js';
import { SIRETS } from '../support/tiny-world.js';

const harness = sharedHarness();

describe('organismes', () => {
  it('walks the source’s whole list by its pages, with the commune of each', () =>
    fresh(async ({ send, service }) => {
      const page = async (after: string | null) =>
        (
          await send(
            'query ($after: String) { organismes(first: 2, after: $after) { totalCount nodes { identifiant { uai siret } commune { nom } } pageInfo { hasNextPage endCursor } } }',
            { variables: { after } },
          )
        ).data.organismes;
      const one = await page(null);
      const two = await page(one.pageInfo.endCursor);
      expect([...one.nodes, ...two.nodes]).toEqual([
        { identifiant: { uai: '0352660B', siret: SIRETS.school }, commune: { nom: 'Paris' } },
        { identifiant: { uai: null, siret: SIRETS.ministry }, commune: { nom: 'Afa' } },
        { identifiant: { uai: '0491801S', siret: SIRETS.nobody }, commune: { nom: 'Paris' } },
      ]);
      expect([one, two].map(({ pageInfo }) => pageInfo.hasNextPage)).toEqual([true, false]);
      expect(service.callLines()).toEqual([
        'GET /api/geographie/v1/commune/search?code=20167 operator',
        'GET /api/geographie/v1/commune/search?code=75056 operator',
        'GET /api/organisme/v1/export?page_size=2&page_index=0 operator',
        'GET /api/organisme/v1/export?page_size=2&page_index=1 operator',
      ]);
    }));

  it('refuses a page that the source does not serve', async () => {
    expect((await harness.send('{ organismes(first: 1001) { totalCount } }')).errors).toEqual([
      'BAD_USER_INPUT organismes',
    ]);
    expect(harness.service.calls).toEqual([]);
  });
});

describe('organisme(siret, uai)', () => {
  const SELECTION =
    '{ metadata { siret { status statusRaw } uai { status } } resultat { organisme { identifiant { uai siret } } status { ouvert declarationCatalogue validationUai } correspondances { uai { luiMeme sonLieu } siret { luiMeme sonFormateur sonResponsable } } } candidats { organisme { identifiant { siret } } } }';

  it('answers the matcher’s best match, metadata and candidates', async () => {
    const { data, errors } = await harness.send(`{ organisme(siret: "${SIRETS.school}") ${SELECTION} }`);
    expect(errors).toEqual([]);
    expect(data.organisme).toMatchObject({
      metadata: { siret: { status: 'OK', statusRaw: null }, uai: null },
      resultat: {
        organisme: { identifiant: { uai: '0352660B', siret: SIRETS.school } },
        correspondances: { siret: { luiMeme: true } },
      },
      candidats: [],
    });
    expect(harness.service.callLines()).toEqual([`GET /api/organisme/v1/recherche?siret=${SIRETS.school} operator`]);
  });

  it('passes a UAI on as it was written: the source fills it up', async () => {
    const { data } = await harness.send(`{ organisme(uai: "352660b") ${SELECTION} }`);
    expect(data.organisme.metadata.uai.status).toBe('OK');
    expect(harness.service.callLines()).toEqual(['GET /api/organisme/v1/recherche?uai=352660b operator']);
  });

  it('shows a status that is not known as OTHER with its text', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', set: { '/metadata/siret/status': 'en sommeil' } });
      const { data } = await send(
        `{ organisme(siret: "${SIRETS.school}") { metadata { siret { status statusRaw } } } }`,
      );
      expect(data.organisme.metadata.siret).toEqual({ status: 'OTHER', statusRaw: 'en sommeil' });
    }));

  it.each([
    ['', 'siret or uai must be given'],
    ['(siret: null, uai: null)', 'siret or uai must be given'],
    ['(siret: "13002526500014")', 'siret is not a SIRET'],
    ['(uai: "12345678A")', 'uai is not a UAI'],
  ])('refuses %s without a call', async (args, message) => {
    const { errors, messages } = await harness.send(`{ organisme${args} { resultat { status { ouvert } } } }`);
    expect(errors).toEqual(['BAD_USER_INPUT organisme']);
    expect(messages[0]).toContain(message);
    expect(harness.service.calls).toEqual([]);
  });
});
