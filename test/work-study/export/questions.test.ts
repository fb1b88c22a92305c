import { afterAll, afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CodedError } from '../../../kernel/errors.js';
import { readPage } from '../../../subgraphs/graph/connection.js';
import { romeOfTitles } from '../../../subgraphs/work-study/export/answers.js';
import { operationFor } from '../../subgraph-harness.js';
import { OTHER_TITLES, PARTNERS_TITLES } from '../../titles.js';
import { type Args, BAKERY, openExport } from '../support/siret-directories.js';

const TITLES = [...PARTNERS_TITLES, ...OTHER_TITLES];
/** Words that every object of JavaScript has, as a service might write them. */
const FOREIGN = ['constructor', '__proto__', 'toString', 'hasOwnProperty'];
const OPCOS = ['Akto', 'AKTO', 'Akto', ' akto ', 'Opco 2i', 'OPCO 2I', 'OPCO 2I', ''];
const STATUSES = ['Active', 'Filled', 'Suspended', '', 'constructor', null];

const place = (address: string, coordinates: readonly number[]) => ({
  location: { address, geopoint: { coordinates } },
});
const offerOf = (id: string, offer: object, workplace: object = {}, contract: object = {}, partner = 'Hellowork') => ({
  identifier: { id, partner_label: partner },
  workplace: { siret: BAKERY, ...workplace },
  contract,
  offer: { title: 'Boulanger', status: 'Active', ...offer },
});

const ROWS = [
  ...TITLES.map(({ written }, row) => offerOf(`title ${row}`, { title: written }, {}, {}, 'Titles')),
  ...FOREIGN.map((word) =>
    offerOf(
      word,
      { status: 'Active', target_diploma: { european: word }, rome_codes: [word], title: word },
      { domain: { opco: word, naf: { code: word, label: word } }, size: word },
      { type: [word], remote: word },
      word,
    ),
  ),
  ...OPCOS.map((opco, row) => offerOf(`opco ${row}`, {}, { domain: { opco } }, {}, opco || 'Opcos')),
  ...STATUSES.map((status) => offerOf(`status ${status}`, { status }, {}, {}, 'Statuses')),
  offerOf('naf', {}, { domain: { naf: { code: '62.01z', label: 'Programmation' } } }, {}, 'Naf'),
  offerOf('Nantes', {}, place('1 rue de Strasbourg 44000 Nantes', [-1.5534, 47.2184])),
  offerOf('Rezé', {}, place('1 place Daviais 44400 Rezé', [-1.5703, 47.1835])),
  offerOf('Paris', {}, place('1 rue de Vaugirard 75015 Paris', [2.3, 48.84])),
  { ...offerOf('recruiter', { title: 'recruteurs_lba' }, {}, {}, 'recruteurs_lba') },
];

let asked: Awaited<ReturnType<typeof openExport>>;
const offers = (args: Args) => asked.offers(args);
const idsOf = (args: Args) => asked.idsOf(args);
const counts = (args: Parameters<typeof asked.counts>[0]) => asked.counts(args);
const refusalOf = (answer: Promise<unknown>) =>
  answer.then(
    () => 'answered',
    (error: CodedError) => `${error.code} ${error.message}`,
  );

describe('Questions to the export', () => {
  beforeAll(async () => {
    asked = await openExport(ROWS);
  });
  afterAll(() => asked.directory.close());

  it('find each of 300 titles as partners write them by what readers type, and no other of these by what differs', async () => {
    const missed: string[] = [];
    for (const [row, { written, typed }] of TITLES.entries()) {
      // A share of what is typed: all of it is tried on the words alone.
      const text = typed[row % typed.length] ?? '';
      const found = await idsOf({ text, partner: ['Titles'] });
      if (!found.includes(`title ${row}`)) missed.push(`${text} in ${written}`);
    }
    expect(missed).toEqual([]);
    for (const [row, { other }] of OTHER_TITLES.entries()) {
      const found = await Promise.all(other.map((text) => idsOf({ text, partner: ['Titles'] })));
      expect(found.flat()).not.toContain(`title ${PARTNERS_TITLES.length + row}`);
    }
  });

  it.each(['NAF', 'OPCO', 'DIPLOMA', 'CONTRACT', 'PARTNER', 'REMOTE', 'ROME', 'SIRET'] as const)(
    'count foreign words by %s, whatever JavaScript means by them',
    async (key) => {
      const { groups, total } = await counts({ by: [key], where: { partner: FOREIGN } });
      expect(total).toBe(FOREIGN.length);
      const keys = groups.map((group) => group.key[0]);
      const isClosed = ['DIPLOMA', 'CONTRACT', 'REMOTE'].includes(key);
      if (isClosed) expect(keys).toEqual(['OTHER']);
      else if (key === 'NAF') expect(keys.toSorted()).toEqual(FOREIGN.map((word) => word.toUpperCase()).toSorted());
      else if (key !== 'SIRET') expect(keys.toSorted()).toEqual(FOREIGN.toSorted());
      expect(groups.every(({ label }) => label.every((one) => one === null || typeof one === 'string'))).toBe(true);
    },
  );

  it('count spellings together that filters find together, under the most usual one', async () => {
    const opcos = await counts({ by: ['OPCO'], where: { opco: ['akto', 'opco 2i'] } });
    expect(opcos.groups.map(({ key, count }) => [key[0], count])).toEqual([
      ['Akto', 4],
      ['OPCO 2I', 3],
    ]);
    const partners = await counts({ by: ['PARTNER'], where: { partner: ['AKTO'] } });
    expect(partners.groups.map(({ key, count }) => [key[0], count])).toEqual([['Akto', 4]]);
    expect(await idsOf({ opco: ['AKTO'] })).toHaveLength(4);
  });

  it('count places per 1,000 inhabitants, the smaller of two, and say what every key is called', async () => {
    const by = async (...keys: Parameters<typeof counts>[0]['by']) =>
      (await counts({ by: keys, where: { partnerNot: ['Titles'], insee: ['44109'] } })).groups;
    // Nantes has 327,734 inhabitants, its EPCI 683,981 (@etalab/decoupage-administratif 6.0.0).
    expect(await by('EPCI', 'COMMUNE')).toMatchObject([
      { label: ['Nantes Métropole', 'Nantes'], count: 1, perThousandInhabitants: 1000 / 327_734 },
    ]);
    expect(await by('EPCI')).toMatchObject([{ count: 1, perThousandInhabitants: 1000 / 683_981 }]);
    expect(await by('REGION', 'REMOTE')).toMatchObject([{ label: ['Pays de la Loire', 'Non renseigné'], count: 1 }]);
    expect(await by('DIPLOMA')).toMatchObject([{ label: ['Non renseigné'], perThousandInhabitants: null }]);
  });

  it('find at least so many around a point, on all pages and in counts, and posts rather than offers where they are grouped', async () => {
    const near = { insee: '44109' };
    // Nantes is a kilometre or two from its centre, Rezé some four, Paris 340.
    const one = await offers({ near, radius: 0.001, atLeast: 1 });
    expect(one.nodes.map((node) => node.identifier?.offerId)).toEqual(['Nantes']);
    expect(one.radius).toBeCloseTo(one.edges[0]?.distance ?? 0, 2);
    expect(one.radius).toBeGreaterThanOrEqual(one.edges[0]?.distance ?? 0);
    const two = await offers({
      near,
      radius: 0.001,
      atLeast: 2,
      first: 1,
      orderBy: { field: 'CREATION', direction: 'DESC' },
    });
    const next = await offers({
      near,
      radius: 0.001,
      atLeast: 2,
      first: 1,
      orderBy: { field: 'CREATION', direction: 'DESC' },
      after: two.pageInfo.endCursor(),
    });
    expect([...two.nodes, ...next.nodes].map((node) => node.identifier?.offerId).toSorted()).toEqual([
      'Nantes',
      'Rezé',
    ]);
    expect([two.totalCount, two.radius]).toEqual([2, next.radius]);
    const counted = await two.count({ by: ['COMMUNE'] }, operationFor({}));
    expect(counted.groups.map(({ label }) => label)).toEqual([['Nantes'], ['Rezé']]);
    expect(await offers({ near, atLeast: 3 })).toMatchObject({ totalCount: 2, radius: 200 });
    expect(await offers({ near, atLeast: 1 })).toMatchObject({ totalCount: 2, radius: 30 });
    expect(await offers({ near, atLeast: 2, radius: 0.001, duplicates: 'GROUP' })).toMatchObject({ totalCount: 2 });
    expect(await refusalOf(offers({ atLeast: 3 }))).toBe('BAD_USER_INPUT where.atLeast needs a point: where.near.');
    for (const radius of [0, 300])
      expect(await refusalOf(offers({ near, atLeast: 3, radius }))).toContain(
        'BAD_USER_INPUT where.radius must be more than 0',
      );
    expect(await refusalOf(offers({ near, atLeast: 1001 }))).toContain('BAD_USER_INPUT where.atLeast');
  });

  it('refuse an EPCI that is none, and leave out partners, of which one that is nearly known is refused', async () => {
    expect(await refusalOf(offers({ epci: ['200000000'] }))).toContain(
      'BAD_USER_INPUT where.epci is not the SIREN of an EPCI',
    );
    expect(await idsOf({ epci: ['244400404'] })).toEqual(expect.arrayContaining(['Nantes', 'Rezé']));
    expect(await idsOf({ epci: ['244400404'], partnerNot: ['HELLOWORK'] })).toEqual([]);
    expect(await refusalOf(offers({ partnerNot: ['Helowork'] }))).toContain('BAD_USER_INPUT where.partnerNot');
  });

  it('know a word of titles that goes almost only with one occupation, at several workplaces', async () => {
    const titled = (title: string, romes: readonly string[], rows: number) =>
      Array.from({ length: rows }, (_, row) =>
        offerOf(`${title} ${row}`, { title, rome_codes: romes }, { name: `${title} ${row % 5}` }),
      );
    const rows = [
      ...titled('Crêpier breton', ['G1602'], 39),
      ...titled('Crêpier suppléant', ['G1803'], 2),
      ...titled('Agent suppléant', ['K2204'], 30),
      ...titled('Turbineur', ['H2906'], 19),
      ...titled('Barista volant', ['G1801', 'G1803'], 40),
    ];
    const own = Array.from({ length: 40 }, (_, row) =>
      offerOf(`chain ${row}`, { title: 'Tacolino', rome_codes: ['G1603'] }, { name: 'Tacolino' }),
    );
    const titles = await openExport([...rows, ...own]);
    const romeOf = (...words: string[]) => romeOfTitles(titles.from(), words);
    expect(await romeOf('crepier')).toBe('G1602');
    expect(await romeOf('breton', 'crepier')).toBe('G1602');
    for (const words of [
      ['crepier', 'agent'],
      ['crepier', 'lune'],
      ['suppleant'],
      ['turbineur'],
      ['barista'],
      ['tacolino'],
      [],
    ])
      expect(await romeOf(...words), words.join()).toBeNull();
    await titles.directory.close();
  });

  it('find offers of any status in one list or another, active ones alone by default', async () => {
    const of = (status: Args['status'] | null) => idsOf({ partner: ['Statuses'], status: status ?? null });
    expect(await of(null)).toEqual(['status Active']);
    expect(await of([])).toEqual(['status Active']);
    expect(await of(['FILLED'])).toEqual(['status Filled']);
    expect(await of(['OTHER'])).toEqual(['status Suspended', 'status ', 'status constructor', 'status null']);
  });

  it('find a NAF code however either side writes it', async () => {
    for (const naf of ['6201z', '62.01Z', '62', ' 62.01z']) expect(await idsOf({ naf: [naf] })).toEqual(['naf']);
  });

  it('find the commune itself within 0 km, and an arrondissement as its city, which the answer says', async () => {
    expect(await idsOf({ near: { insee: '44109' }, radius: 0 })).toEqual(['Nantes']);
    expect((await offers({ near: { insee: '44109' }, radius: 0 })).edges[0]?.distance).toBeGreaterThan(0);
    expect((await idsOf({ near: { insee: '44109' }, radius: 10 })).toSorted()).toEqual(['Nantes', 'Rezé']);
    const { nodes, askedArrondissements } = await offers({ insee: ['75115'] });
    expect(nodes.map((node) => node.identifier?.offerId)).toEqual(['Paris']);
    expect(askedArrondissements).toMatchObject([{ code: '75115', nom: 'Paris 15e Arrondissement' }]);
    expect((await offers({ near: { insee: '75101' } })).askedArrondissements).toMatchObject([{ code: '75101' }]);
    expect((await offers({ insee: ['75056'] })).askedArrondissements).toEqual([]);
    const counted = await counts({ by: ['REGION'], where: { insee: ['75116'] } });
    expect(counted).toMatchObject({ total: 1, askedArrondissements: [{ code: '75116' }] });
  });

  it.each([
    [{ insee: ['75015'] }, 'where.insee has two meanings: a former INSEE code of what is now 94015, Bry-sur-Marne'],
    [{ insee: ['44109', '75001'] }, 'where.insee[1] has two meanings'],
    [{ near: { insee: '77166' } }, 'where.near.insee has two meanings'],
    [{ insee: ['2a004'] }, 'did you mean 2A004, Ajaccio?'],
    [
      { created: { after: '2026-03-01', before: '2026-02-01' } },
      'where.created.after must be before where.created.before',
    ],
    [
      { start: { after: '2026-03-01', before: '2026-02-01T00:00:00Z' } },
      'where.start.after must be before where.start.before',
    ],
  ] satisfies [Args, string][])('refuse %j, naming what was meant', async (args, problem) => {
    expect(await refusalOf(offers(args))).toContain(problem);
    expect(await refusalOf(counts({ by: ['ROME'], where: args }))).toContain(problem);
  });

  it('refuse a cursor that somebody made up, with the right digest, of what is no place', async () => {
    const filter = { status: ['ACTIVE'], includeExpired: false, orderBy: { by: 'CREATION', isReversed: false } };
    const page = readPage({}, { list: 'offers', filter: { ...filter, grouped: false }, maximum: 1 });
    const known = (await offers({ first: 1 })).pageInfo.endCursor() ?? '';
    const [, , date, atMs, key, row] = JSON.parse(Buffer.from(known, 'base64url').toString());
    expect(page.cursorAt(0, [date, atMs, key, row])).toBe(known);
    for (const made of [
      [date, atMs, 'x', row],
      [date, 'x', key, row],
      [date, atMs, key, ''],
      [date, atMs, 'NaN', 'NaN'],
    ])
      expect(await refusalOf(offers({ after: page.cursorAt(0, made) }))).toContain('after is not a cursor');
  });

  it('take a cursor for the same list with its defaults written or left out, and give back that of an empty page', async () => {
    const { pageInfo } = await offers({ first: 2 });
    const after = pageInfo.endCursor();
    const next = (await offers({ first: 2, after })).nodes.map((node) => node.identifier?.offerId);
    const written: Args[] = [
      {
        orderBy: { field: 'CREATION', direction: 'DESC' },
        status: ['ACTIVE'],
        includeExpired: false,
        duplicates: 'KEEP',
      },
      { includeExpired: null, duplicates: null, status: [], insee: [], rome: [] },
    ];
    for (const args of written)
      expect((await offers({ first: 2, after, ...args })).nodes.map((node) => node.identifier?.offerId)).toEqual(next);
    expect(await refusalOf(offers({ after, orderBy: { field: 'START', direction: 'ASC' } }))).toContain(
      'after is not a cursor',
    );
    expect((await offers({ first: 0, after })).pageInfo.endCursor()).toBe(after);
    expect((await offers({ first: 0 })).pageInfo.endCursor()).toBeNull();
    const near = { position: { latitude: 47.2, longitude: -1.55 } };
    const around = (await offers({ first: 1, near })).pageInfo.endCursor();
    const further = await idsOf({ near, after: around });
    expect(await idsOf({ near, after: around, radius: 30, orderBy: { field: 'DISTANCE', direction: 'ASC' } })).toEqual(
      further,
    );
    expect(further).toHaveLength(1);
  });
});

/** The month of each; null where it is no date that exists. `Date.parse` reads all of them. */
const CREATIONS: readonly (readonly [creation: string, month: string | null])[] = [
  ['2026-01-31T23:30:00.000Z', '2026-01'],
  ['2026-02-01T00:30:00+02:00', '2026-01'],
  ['2026-01-31T23:30:00', '2026-01'],
  ['2026-01-09', '2026-01'],
  ['01/09/2026', null],
  ['9 January 2026', null],
  ['Offre 7', null],
  ['2026-02-30T10:00:00.000Z', null],
  ['+275760-09-13T00:00:00.000Z', null],
  ['+020026-01-09T00:00:00.000Z', null],
];

describe('Times of the export', () => {
  afterEach(() => asked.directory.close());

  it('are months in UTC, as in filters, and of dates that exist alone, whatever the zone of the process', async () => {
    asked = await openExport(CREATIONS.map(([creation], row) => offerOf(String(row), { publication: { creation } })));
    const { groups } = await counts({ by: ['MONTH'], top: 100 });
    const none = CREATIONS.filter(([, month]) => month === null).length;
    expect(groups.map(({ key, count }) => [key[0], count])).toEqual([
      [null, none],
      ['2026-01', CREATIONS.length - none],
    ]);
    const since = async (after: string) =>
      (await counts({ by: ['MONTH'], top: 100, where: { created: { after } } })).total;
    expect(await since('1970-01-01')).toBe(CREATIONS.length - none);
    expect(await since('2026-01-31T23:00:00Z')).toBe(2);
  });

  it('leave out what had expired when a list was first asked for, on all of its pages', async () => {
    const noon = Date.parse('2026-06-01T12:00:00Z');
    vi.useFakeTimers({ toFake: ['Date'], now: noon });
    onTestFinished(() => void vi.useRealTimers());
    const expiryOf = (row: number) => (row % 3 === 0 ? noon + (row / 3) * 1000 : Number.POSITIVE_INFINITY);
    const rows = Array.from({ length: 4_000 }, (_, row) => row);
    asked = await openExport(
      rows.map((row) => {
        const [creation, expiration] = [noon - (4_000 - row) * 60_000, expiryOf(row)].map((time) =>
          Number.isFinite(time) ? new Date(time).toISOString() : null,
        );
        return offerOf(String(row), { publication: { creation, expiration } });
      }),
    );
    const openAt = (nowMs: number) =>
      rows
        .filter((row) => expiryOf(row) > nowMs)
        .map(String)
        .reverse();
    const first = await offers({ first: 1000 });
    const seen = first.nodes.map(({ identifier }) => identifier?.offerId);
    expect(first.totalCount).toBe(openAt(noon).length);
    for (const minutes of [1, 60]) {
      vi.setSystemTime(noon + minutes * 60_000);
      expect((await offers({})).totalCount).toBe(openAt(Date.now()).length);
      expect(await idsOf({})).toEqual(openAt(Date.now()).slice(0, 1000));
    }
    for (let page = first; page.pageInfo.hasNextPage; ) {
      page = await offers({ first: 1000, after: page.pageInfo.endCursor() });
      seen.push(...page.nodes.map(({ identifier }) => identifier?.offerId));
    }
    expect(seen).toEqual(openAt(noon));
  });
});

describe('An export', () => {
  it.each([['null'], ['"text"'], ['17'], ['true,null'], ['[{}]']])('with the rows %s is not complete', async (odd) => {
    asked = await openExport(`[${odd},${JSON.stringify(ROWS.slice(0, 9)).slice(1, -1)} , ${odd}]`);
    expect(await offers({})).toMatchObject({ totalCount: 9, complete: false });
    await asked.directory.close();
  });

  it('that is cut, or no export, is said to be that', async () => {
    for (const [file, reason] of [
      [JSON.stringify(ROWS).slice(0, -20), 'the daily export is truncated'],
      ['<html>', 'the daily export is not a list'],
    ] as const) {
      asked = await openExport(file);
      expect(await refusalOf(offers({}))).toContain(`GATEWAY_UNAVAILABLE There is no export to ask: ${reason}.`);
      // The next download is tried after a minute.
      expect(await offers({}).catch((error: CodedError) => error.extensions['retryAfterSeconds'])).toBe(60);
      await asked.directory.close();
    }
  });
});
