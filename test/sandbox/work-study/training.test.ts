import { describe, expect, it } from 'vitest';
import { onisepId, parcoursupId } from '../../../sandbox/work-study/training/appointments.js';
import { certification, formation, smallWorld } from './small-world.js';
import { startedWorkStudy } from './started.js';

const KEY = '049510P01118838776490001178615112600012-49099#L01';

const { get, send } = await startedWorkStudy({
  world: smallWorld({
    formations: [
      formation(KEY, { at: [2.4, 48.85] }),
      formation('b', {
        certification: certification('16X31337', 'RNCP1000', { romes: ['D1212'], levels: { cfd: '5', rncp: '8' } }),
      }),
      formation('archived', {
        statut: 'archivé',
        certification: certification(null, 'RNCP1001', { levels: { rncp: '3' } }),
      }),
      formation('removed', { statut: 'supprimé' }),
      formation('silent', { email: null, at: [7.75, 48.57] }),
    ],
  }),
});

const search = async (query: string) =>
  (await get(`/formation/v1/search?${query}`))
    .json()
    .data.map((one: { identifiant: { cle_ministere_educatif: string } }) => one.identifiant.cle_ministere_educatif);

describe('the search of formations (work-study 7.8)', () => {
  it('finds published ones, archived ones on request, removed ones never', async () => {
    expect(await search('')).toEqual([KEY, 'b', 'silent']);
    expect(await search('include_archived=true')).toEqual([KEY, 'b', 'archived', 'silent']);
  });

  it('sorts by distance around a point', async () => {
    expect(await search('latitude=48.85&longitude=2.35')).toEqual(['b', KEY]);
    expect(await search('latitude=48.85&longitude=2.35&radius=1')).toEqual(['b']);
  });

  it('unites romes and rncp and adds the other filters', async () => {
    expect(await search('romes=D1212')).toEqual(['b']);
    expect(await search('romes=D1212&rncp=RNCP36629')).toEqual([KEY, 'b', 'silent']);
    expect(await search('romes=D1212&rncp=RNCP36629&target_diploma_level=8')).toEqual(['b']);
    expect(await search('target_diploma_level=5')).toEqual(['b']);
    expect(await search('target_diploma_level=3&include_archived=true')).toEqual(['archived']);
  });

  it('pages from zero without a total', async () => {
    const { data, pagination } = (await get('/formation/v1/search?page_size=2&page_index=1')).json();
    expect([data.length, pagination]).toEqual([1, { page_count: 2, page_size: 2, page_index: 1 }]);
    expect((await get('/formation/v1/search?page_index=7')).json().data).toEqual([]);
  });

  it.each([
    ['romes=D1212,%20D1214', '/romes'],
    ['rncp=RNCP12', '/rncp'],
    ['target_diploma_level=9', '/target_diploma_level'],
    ['include_archived=1', '/include_archived'],
    ['page_size=1001', '/page_size'],
    ['latitude=48', '/longitude'],
  ])('refuses %s in envelope A', async (query, instancePath) => {
    const { status, json } = await get(`/formation/v1/search?${query}`);
    expect([status, json().data.validationError]).toMatchObject([400, [{ instancePath }]]);
  });
});

describe('a formation by its id (work-study 7.9)', () => {
  it('comes with any status, its # percent-encoded', async () => {
    expect((await get(`/formation/v1/${encodeURIComponent(KEY)}`)).json().identifiant.cle_ministere_educatif).toBe(KEY);
    expect((await get('/formation/v1/removed')).status).toBe(200);
  });

  it('is a 404 of envelope A when it is unknown', async () => {
    const { status, json } = await get('/formation/v1/nothing');
    expect([status, json()]).toEqual([
      404,
      { statusCode: 404, name: 'Not Found', message: "Aucune formation trouvée pour l'identifiant nothing" },
    ]);
  });
});

describe('the link of an appointment (work-study 7.10)', () => {
  const link = (body: unknown, key: 'alice' | 'operator' = 'alice') =>
    send('POST', '/formation/v1/appointment/generate-link', body, key);

  it('is made from any one of the three identifiers', async () => {
    const bodies = [
      { cle_ministere_educatif: KEY },
      { parcoursup_id: parcoursupId(KEY) },
      { onisep_id: onisepId(KEY) },
    ];
    for (const body of bodies) {
      const { status, json } = await link(body);
      expect([status, Object.keys(json())]).toEqual([
        200,
        [
          'etablissement_formateur_entreprise_raison_sociale',
          'intitule_long',
          'lieu_formation_adresse',
          'code_postal',
          'etablissement_formateur_siret',
          'cfd',
          'localite',
          'cle_ministere_educatif',
          'form_url',
        ],
      ]);
      expect(json().form_url).toContain('referrer=jeune_1_solution');
      expect(json().form_url).toContain('%23L01');
    }
  });

  it('may be refused with a 200', async () => {
    const { status, json } = await link({ cle_ministere_educatif: 'silent' });
    expect([status, json()]).toEqual([200, { error: 'Appointment request not available' }]);
  });

  it('is a 404 of envelope B for an unknown formation', async () => {
    const { status, json } = await link({ cle_ministere_educatif: 'nothing' });
    expect([status, json()]).toEqual([404, { statusCode: 404, error: 'Not Found', message: 'Training not found' }]);
  });

  it.each([[{}], [{ parcoursup_id: '1', onisep_id: '2' }], [{ parcoursup_id: 7 }], [{ other: 'x' }], [[]]])(
    'is a 400 of envelope B for %j',
    async (body) => {
      const { status, json } = await link(body);
      expect([status, json().message]).toEqual([400, 'body.: Invalid input']);
    },
  );

  it('is a 500 of envelope A for an organisation that the backend does not know', async () => {
    const { status, json } = await link({ cle_ministere_educatif: KEY }, 'operator');
    expect([status, json()]).toEqual([
      500,
      { statusCode: 500, name: 'Internal Server Error', message: 'The server was unable to complete your request' },
    ]);
  });
});
