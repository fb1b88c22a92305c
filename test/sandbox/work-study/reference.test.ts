import { describe, expect, it } from 'vitest';
import { certification, formation, missionLocale, organisme, point, SIRETS, smallWorld } from './small-world.js';
import { startedWorkStudy } from './started.js';

const CERTIFICATIONS = [
  certification('16X31336', 'RNCP36629'),
  certification('16X31337', 'RNCP36629'),
  certification(null, 'RNCP9852'),
  certification('26X32304', null),
];

const { service, get } = await startedWorkStudy({
  world: smallWorld({
    certifications: CERTIFICATIONS,
    missionsLocales: [
      missionLocale(1, point(2.6, 48.85)),
      missionLocale(2, point(2.36, 48.85)),
      missionLocale(3, null),
    ],
    organismes: [
      organisme(SIRETS.lycee, '0491801S'),
      organisme(SIRETS.closed, '0594899E', false),
      organisme(SIRETS.dinum, null),
    ],
    formations: [formation('a', { formateur: SIRETS.dinum, responsable: SIRETS.lycee, uai: '0594899E' })],
  }),
});

describe('communes (work-study 7.14)', () => {
  const names = async (code: string) =>
    (await get(`/geographie/v1/commune/search?code=${code}`)).json().map((one: { nom: string }) => one.nom);

  it.each([
    ['75056', ['Paris'], 'an INSEE code'],
    ['75003', ['Paris'], 'a postal code'],
    ['75120', ['Paris'], 'an arrondissement'],
    ['77166', ['Amillis'], 'a former commune'],
    ['77120', ['Amillis', 'Autre-Ville'], 'a postal code that is also an INSEE code'],
    ['20000', ['Ajaccio'], 'a Corsican postal code'],
    ['99999', [], 'nothing'],
  ])('finds by %s: %j (%s)', async (code, found) => {
    expect(await names(code)).toEqual(found);
  });

  it.each(['75', '2A004', '750560', ''])('refuses "%s" in the documented words', async (code) => {
    const { status, json } = await get(`/geographie/v1/commune/search?code=${code}`);
    expect(status).toBe(400);
    expect(json()).toEqual({
      statusCode: 400,
      name: 'Bad Request',
      message: 'Request validation failed',
      data: {
        validationError: [
          {
            keyword: 'invalid_format',
            instancePath: '/code',
            schemaPath: '#/code/invalid_format',
            message: 'Invalid string: must match pattern /^\\d{5}$/',
            params: { origin: 'string', format: 'regex', pattern: '/^\\d{5}$/' },
          },
        ],
      },
    });
  });

  it('refuses a missing or repeated code', async () => {
    for (const query of ['', '?code=75056&code=75003']) {
      const { status, json } = await get(`/geographie/v1/commune/search${query}`);
      expect([status, json().data.validationError[0].keyword]).toEqual([400, 'invalid_type']);
    }
  });
});

describe('missions locales (work-study 7.16)', () => {
  const ids = async (query: string) =>
    (await get(`/geographie/v1/mission-locale${query}`)).json().map((one: { id: number }) => one.id);

  it('are all sent without a point, and nearest first within the radius with one', async () => {
    expect(await ids('')).toEqual([1, 2, 3]);
    expect(await ids('?latitude=48.85&longitude=2.35')).toEqual([2, 1]);
    expect(await ids('?latitude=48.85&longitude=2.35&radius=5')).toEqual([2]);
  });

  it.each([
    ['latitude=48', 'La longitude est requise lorsque la latitude est fournie'],
    ['longitude=2', 'La latitude est requise lorsque la longitude est fournie'],
    ['latitude=91&longitude=2', 'Too big: expected number to be <=90'],
    ['latitude=x&longitude=2', 'Invalid input: expected number, received NaN'],
    ['latitude=48&longitude=2&radius=201', 'Too big: expected number to be <=200'],
    ['latitude=48&longitude=2&radius=-1', 'Too small: expected number to be >=0'],
  ])('refuses %s', async (query, message) => {
    const { status, json } = await get(`/geographie/v1/mission-locale?${query}`);
    expect([status, json().data.validationError.map((one: { message: string }) => one.message)]).toEqual([
      400,
      [message],
    ]);
  });
});

interface Identified {
  readonly identifiant: { readonly cfd: string | null; readonly rncp: string | null };
}

const pair = ({ identifiant: { cfd, rncp } }: Identified) => [cfd, rncp];

describe('certifications (work-study 7.11)', () => {
  const codes = async (query: string) => (await get(`/certification/v1${query}`)).json().map(pair);
  const all = CERTIFICATIONS.map((one) => pair(one as unknown as Identified));

  it('are filtered by either code, both, or the lack of one', async () => {
    expect(await codes('?identifiant.rncp=RNCP36629')).toEqual([all[0], all[1]]);
    expect(await codes('?identifiant.rncp=RNCP36629&identifiant.cfd=16X31337')).toEqual([all[1]]);
    expect(await codes('?identifiant.cfd=')).toEqual([all[2]]);
    expect(await codes('?identifiant.cfd=null')).toEqual([all[2]]);
    expect(await codes('?identifiant.rncp=')).toEqual([all[3]]);
    expect(await codes('?identifiant.rncp=RNCP99999')).toEqual([]);
  });

  it('are streamed whole without a filter, items apart by a comma and a line end', async () => {
    const { text, headers, json } = await get('/certification/v1');
    expect(json()).toEqual(CERTIFICATIONS);
    expect(text.split(',\n')).toHaveLength(4);
    expect([headers['content-type'], headers['transfer-encoding']]).toEqual(['application/json', 'chunked']);
  });

  it.each([
    'identifiant.rncp=36629',
    'identifiant.rncp=rncp36629',
    'identifiant.cfd=123',
    'identifiant.rncp=RNCP1234&identifiant.rncp=RNCP1235',
  ])('refuse %s in envelope A', async (query) => {
    const { status, json } = await get(`/certification/v1?${query}`);
    expect([status, json().message]).toEqual([400, 'Request validation failed']);
  });
});

describe('the matcher of organismes (work-study 7.12, 8.2)', () => {
  const search = async (query: string) => (await get(`/organisme/v1/recherche${query}`)).json();

  it('answers nothing for nothing', async () => {
    expect(await search('')).toEqual({ metadata: { uai: null, siret: null }, resultat: null, candidats: [] });
  });

  it('finds the open one by its SIRET, and who has it as responsable as a candidate', async () => {
    const { metadata, resultat, candidats } = await search(`?siret=${SIRETS.lycee}`);
    expect(metadata).toEqual({ uai: null, siret: { status: 'ok' } });
    expect(resultat).toEqual({
      status: { ouvert: true, declaration_catalogue: true, validation_uai: true },
      correspondances: { uai: null, siret: { lui_meme: true, son_formateur: false, son_responsable: false } },
      organisme: { identifiant: { uai: '0491801S', siret: SIRETS.lycee } },
    });
    expect(candidats).toMatchObject([
      {
        correspondances: { siret: { lui_meme: false, son_responsable: true } },
        organisme: { identifiant: { siret: SIRETS.dinum } },
      },
    ]);
  });

  it('names a closed one a candidate only, beside one that teaches at the UAI', async () => {
    const { metadata, resultat, candidats } = await search('?uai=594899e');
    expect(metadata).toEqual({ uai: { status: 'ok' }, siret: null });
    expect(resultat).toBeNull();
    expect(candidats).toMatchObject([
      { status: { ouvert: false }, correspondances: { uai: { lui_meme: true, son_lieu: false } } },
      { status: { ouvert: true }, correspondances: { uai: { lui_meme: false, son_lieu: true } } },
    ]);
  });

  it('tells closed and unknown codes', async () => {
    expect((await search(`?siret=${SIRETS.closed}`)).metadata.siret).toEqual({ status: 'fermé' });
    expect((await search(`?siret=${SIRETS.free}&uai=0010001W`)).metadata).toEqual({
      siret: { status: 'inconnu' },
      uai: { status: 'inconnu' },
    });
  });

  it('fills codes up with zeros before it checks them', async () => {
    const { metadata } = await search('?siret=000000018&uai=491801S');
    expect(metadata).toEqual({ siret: { status: 'inconnu' }, uai: { status: 'ok' } });
  });

  it.each([
    ['siret=12345678', 'invalid_format', '/siret'],
    ['siret=13002526500014', 'custom', '/siret'],
    ['uai=0491801', 'invalid_format', '/uai'],
    ['uai=0491801T', 'custom', '/uai'],
  ])('refuses %s', async (query, keyword, instancePath) => {
    const { status, json } = await get(`/organisme/v1/recherche?${query}`);
    expect([status, json().data.validationError]).toMatchObject([400, [{ keyword, instancePath }]]);
  });
});

describe('the list of organismes (work-study 7.13)', () => {
  it('is paged without a total', async () => {
    const { data, pagination } = (await get('/organisme/v1/export?page_size=2&page_index=1')).json();
    expect([data.length, pagination]).toEqual([1, { page_count: 2, page_size: 2, page_index: 1 }]);
    expect((await get('/organisme/v1/export?page_index=9')).json()).toEqual({
      data: [],
      pagination: { page_count: 1, page_size: 100, page_index: 9 },
    });
  });

  it.each(['page_size=0', 'page_size=1001', 'page_index=-1', 'page_size=1.5', 'page_size='])(
    'refuses %s',
    async (query) => {
      expect((await get(`/organisme/v1/export?${query}`)).status).toBe(400);
    },
  );
});

it('has the experimental routes, whose register was never imported (work-study 7.18)', async () => {
  expect((await get('/experimental/source/acce/zone?uai=x&limit=2')).json()).toEqual([]);
  expect((await get('/experimental/source/acce', 'none')).status).toBe(401);
  expect(service.unknownPaths).toEqual([]);
});
