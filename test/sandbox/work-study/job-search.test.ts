import { describe, expect, it } from 'vitest';
import { certification, offer, offerId, recruiter, recruiterId, smallWorld } from './small-world.js';
import { startedWorkStudy } from './started.js';

const PARIS = 'latitude=48.85&longitude=2.35';

const { service, get } = await startedWorkStudy({
  world: smallWorld({
    offers: [
      offer(1, { at: [2.36, 48.85] }),
      offer(2, { at: [2.35, 48.85], level: '6', opco: 'ATLAS', naf: '6201Z' }),
      offer(3, { label: 'France Travail', romes: ['D1212'] }),
      offer(4, { label: 'Hellowork', at: [7.75, 48.57], address: '1 RUE 67000 STRASBOURG', level: '3' }),
      offer(5, {
        label: 'Hellowork',
        address: 'LIEU 1000 20100 SARTENE',
        at: [8.97, 41.62],
        creation: '2026-07-01T00:00:00.000Z',
      }),
      offer(6, { status: 'Filled' }),
      offer(7, { status: 'Cancelled' }),
      offer(8, { status: 'Pending' }),
      offer(11, { status: 'Suspended' }),
      offer(9, { expiration: '2026-08-31T00:00:00.000Z' }),
      offer(10, { label: 'APEC', creation: null, expiration: null, romes: ['A1234', 'D1214'] }),
    ],
    recruiters: [
      recruiter(1, { at: [2.37, 48.85], naf: '6201Z', opco: 'ATLAS' }),
      recruiter(2, { at: [2.36, 48.85] }),
      recruiter(3, { address: '5 QUAI 20200 BASTIA', at: [9.45, 42.7] }),
    ],
    certifications: [
      certification('16X31336', 'RNCP36629', { romes: ['D1212'] }),
      certification('16X31337', 'RNCP1000', { actif: false, romes: ['A1234'], successor: 'RNCP36629' }),
      certification('16X31338', 'RNCP1001', { actif: false }),
    ],
  }),
});

async function search(query = ''): Promise<{ jobs: string[]; recruiters: string[]; warnings: unknown[] }> {
  const { jobs, recruiters, warnings } = (await get(`/job/v1/search?${query}`)).json();
  const short = (row: { identifier: { id: string } }): string => row.identifier.id.replace(/^(..)0+/, '$1');
  return { jobs: jobs.map(short), recruiters: recruiters.map(short), warnings };
}

describe('the job search today (work-study 7.1)', () => {
  it('answers, without any parameter, active unexpired offers of the whole country in three parts, newest first', async () => {
    const { jobs, recruiters, warnings } = await search();
    // Own offers, then the agency's, then partners' (which include one of the agency's again); undated ones are last.
    expect(jobs).toEqual(['ab2', 'ab1', 'ab3', 'ab4', 'ab3', 'ab5', 'ab10']);
    expect(recruiters).toEqual(['cd1', 'cd2', 'cd3']);
    expect(warnings).toEqual([]);
  });

  it('sorts each part by distance around a point, then by date', async () => {
    const { jobs, recruiters } = await search(PARIS);
    expect(jobs).toEqual(['ab2', 'ab1', 'ab3', 'ab3', 'ab10']);
    expect(recruiters).toEqual(['cd2', 'cd1']);
  });

  it('takes a radius of 0 to 200 km with decimals, 30 by default, empty as 0', async () => {
    expect((await search(`${PARIS}&radius=0.5`)).jobs).toEqual(['ab2', 'ab3', 'ab3', 'ab10']);
    expect((await search(`${PARIS}&radius=`)).jobs).toEqual(['ab2', 'ab3', 'ab3', 'ab10']);
    expect((await search('latitude=48.57&longitude=7.75&radius=200')).jobs).toEqual(['ab4']);
    expect((await search('radius=1')).jobs).toHaveLength(7);
  });

  it('reads an empty coordinate as 0', async () => {
    expect((await search('latitude=&longitude=')).jobs).toEqual([]);
  });

  it('unites the codes of romes and rncp', async () => {
    expect((await search('romes=D1214')).jobs).toEqual(['ab10']);
    expect((await search('romes=D1214&rncp=RNCP36629')).jobs).toEqual(['ab3', 'ab3', 'ab10']);
  });

  it('keeps the blank after a comma, so that the code matches nothing', async () => {
    expect((await search('romes=A0000,%20D1214')).jobs).toEqual([]);
  });

  it('follows a closed record to its active successor', async () => {
    expect((await search('rncp=RNCP1000')).jobs).toEqual(['ab3', 'ab3']);
  });

  it('refuses a record without an active one', async () => {
    for (const rncp of ['RNCP1001', 'RNCP30000']) {
      const { status, json } = await get(`/job/v1/search?rncp=${rncp}`);
      expect([status, json()]).toEqual([
        400,
        {
          statusCode: 400,
          error: 'Bad Request',
          message: 'Cannot find an active Certification for the given RNCP',
          data: { rncp },
        },
      ]);
    }
  });

  it('keeps offers of a level and those without any; recruiters have no level', async () => {
    const { jobs, recruiters } = await search('target_diploma_level=6');
    expect(jobs).toEqual(['ab2', 'ab1', 'ab3', 'ab3', 'ab5', 'ab10']);
    expect(recruiters).toHaveLength(3);
  });

  it('compares departments with the beginning of the postal code, for recruiters too', async () => {
    expect(await search('departements=67&departements=2A')).toMatchObject({ jobs: ['ab4', 'ab5'], recruiters: [] });
    expect(await search('departements=2B')).toMatchObject({ jobs: [], recruiters: ['cd3'] });
    expect((await search('departements[]=67')).jobs).toHaveLength(7);
  });

  it('filters by OPCO, for recruiters too', async () => {
    expect(await search('opco=ATLAS')).toMatchObject({ jobs: ['ab2'], recruiters: ['cd1'] });
  });

  it('loses the excluded partners when neither romes nor rncp is given', async () => {
    const excluded = 'partners_to_exclude=Hellowork&partners_to_exclude=recruteurs_lba&partners_to_exclude=Unknown';
    expect(await search(excluded)).toMatchObject({ recruiters: ['cd1', 'cd2', 'cd3'] });
    const { jobs, recruiters } = await search(`${excluded}&romes=M1805,D1212`);
    expect([jobs, recruiters]).toEqual([['ab2', 'ab1', 'ab3', 'ab3'], []]);
    expect((await search('romes=M1805,D1212&partners_to_exclude=France%20Travail')).jobs).not.toContain('ab3');
  });

  it('finds recruiters by the ROME codes of their activity', async () => {
    expect((await search('romes=M1805')).recruiters).toEqual(['cd1']);
  });

  it('cuts each part at 150 and says nothing', async () => {
    const many = Array.from({ length: 160 }, (_, i) => i);
    const { get: fetchRaw } = await startedWorkStudy({
      world: smallWorld({
        offers: ['offres_emploi_lba', 'France Travail', 'Hellowork'].flatMap((label, part) =>
          many.map((i) => offer(part * 1000 + i, { label })),
        ),
        recruiters: many.map((i) => recruiter(i)),
      }),
    });
    const { jobs, recruiters } = (await fetchRaw(`/job/v1/search?${PARIS}`)).json();
    expect([jobs.length, recruiters.length]).toEqual([450, 150]);
  });

  it('warns of what the sandbox was told to warn of', async () => {
    const warning = {
      code: 'FRANCE_TRAVAIL_API_ERROR',
      message: 'Unable to retrieve job offers from France Travail API',
    };
    service.warn([warning]);
    expect((await search()).warnings).toEqual([warning]);
  });

  it('refuses with all issues in envelope B', async () => {
    const { status, json } = await get('/job/v1/search?longitude=2');
    expect(status).toBe(400);
    expect(json()).toEqual({
      statusCode: 400,
      error: 'Bad Request',
      message: 'querystring.latitude: latitude is required when longitude is provided',
      data: {
        validationError: {
          issues: [{ code: 'custom', path: ['latitude'], message: 'latitude is required when longitude is provided' }],
          name: 'ZodError',
          statusCode: 400,
          code: 'FST_ERR_VALIDATION',
          validationContext: 'querystring',
        },
      },
    });
  });

  it.each([
    ['latitude=91&longitude=0', 'querystring.latitude: Too big: expected number to be <=90'],
    ['latitude=0&longitude=-181', 'querystring.longitude: Too small: expected number to be >=-180'],
    ['radius=201', 'querystring.radius: Too big: expected number to be <=200'],
    ['radius=far', 'querystring.radius: Invalid input: expected number, received NaN'],
    ['romes=D12', 'querystring.romes: One or more ROME codes are invalid'],
    ['romes=', 'querystring.romes: One or more ROME codes are invalid'],
    ['romes=D1212&romes=D1214', 'querystring.romes: Invalid input: expected string, received array'],
    ['rncp=36629', 'querystring.rncp: Invalid string: must match pattern /^RNCP\\d{3,5}$/'],
    ['target_diploma_level=8', 'querystring.target_diploma_level: Invalid option: expected one of "3"|"4"|"5"|"6"|"7"'],
    [
      'elligibleHandicapFilter=true',
      'querystring.elligibleHandicapFilter: Invalid input: expected boolean, received string',
    ],
  ])('refuses %s', async (query, message) => {
    const { status, json } = await get(`/job/v1/search?${query}`);
    expect([status, json().message]).toEqual([400, message]);
  });

  it('refuses an OPCO that is not one of its labels', async () => {
    expect((await get('/job/v1/search?opco=atlas')).status).toBe(400);
  });
});

describe('the search of the seed’s era (work-study 12.1, 12.2.5, 12.2.8)', () => {
  it('has the seed’s labels and agency offers without an id, once', async () => {
    service.era = 'seed';
    const { jobs } = (await get('/job/v1/search')).json();
    expect(
      jobs.map(({ identifier }: { identifier: Record<string, string | null> }) => [
        identifier['id']?.slice(-2) ?? null,
        identifier['partner_label'],
      ]),
    ).toEqual([
      ['02', 'offres_emploi_svc'],
      ['01', 'offres_emploi_svc'],
      [null, 'France Travail'],
      ['04', 'Hellowork'],
      ['05', 'Hellowork'],
      ['10', 'APEC'],
    ]);
    expect(jobs[2].apply.recipient_id).toBeNull();
    expect(jobs[2].identifier.partner_job_id).toBe('job-3');
  });

  it('excludes partners by the seed’s labels, codes or not', async () => {
    service.era = 'seed';
    const { jobs, recruiters } = (
      await get('/job/v1/search?partners_to_exclude=offres_emploi_svc&partners_to_exclude=recruteurs_svc')
    ).json();
    expect([jobs.length, recruiters.length]).toEqual([4, 0]);
  });

  it('knows neither agency offers by id nor the status Pending', async () => {
    service.era = 'seed';
    expect((await get(`/job/v1/offer/${offerId(3)}`)).status).toBe(404);
    expect((await get(`/job/v1/offer/${offerId(8)}`)).status).toBe(404);
    expect((await get(`/job/v1/offer/${recruiterId(1)}`)).json().identifier.partner_label).toBe('recruteurs_svc');
  });
});
