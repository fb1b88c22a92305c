import { describe, expect, it } from 'vitest';
import { fresh, sharedHarness } from '../support/harness.js';
import { offer, recruiter, storeId } from '../support/records.js';
import { tinyWorld } from '../support/tiny-world.js';

const search = (query: string, key = 'operator') => `GET /api/job/v1/search${query === '' ? '' : `?${query}`} ${key}`;

const LABELS = 'jobs { identifier { offerId partnerLabel } }';

const harness = sharedHarness();
const run = (test: (on: typeof harness) => Promise<void>) => test(harness);

describe('jobSearch on the wire', () => {
  it.each([
    ['', ''],
    ['(latitude: 48.8588, longitude: 2.347)', 'latitude=48.8588&longitude=2.347'],
    ['(latitude: 0, longitude: 0, radius: 0)', 'latitude=0&longitude=0&radius=0'],
    ['(romes: ["M1805", "D1212"])', 'romes=M1805%2CD1212'],
    ['(romes: [], departements: ["33"])', 'departements=33'],
    ['(rncp: "RNCP37098")', 'rncp=RNCP37098'],
    ['(rncp: "37098", departements: ["33"])', 'rncp=RNCP37098&departements=33'],
    ['(targetDiplomaLevel: LEVEL_4)', 'target_diploma_level=4'],
    ['(departements: ["75", "2A", "974"])', 'departements=75&departements=2A&departements=974'],
    ['(opco: "OPCO 2i")', 'opco=OPCO%202i'],
    ['(romes: ["M1805"], partnersToExclude: ["Hellowork"])', 'romes=M1805&partners_to_exclude=Hellowork'],
  ])('%s is sent as %j', (args, query) =>
    run(async ({ send, service }) => {
      const { errors } = await send(`{ jobSearch${args} { truncated } }`);
      expect(errors).toEqual([]);
      expect(service.callLines()).toEqual([search(query)]);
    }),
  );

  it.each([
    ['latitude: 1, longitude: 2, radius: 200.5', 'radius must be between 0 and 200 km'],
    ['romes: ["M1805", "M18 05"]', 'romes[1] is not a ROME code'],
    ['targetDiplomaLevel: LEVEL_2', 'targetDiplomaLevel must be a level from 3 to 7'],
    ['departements: ["1"]', '986 to 989 (did you mean 01, Ain?)'],
    ['departements: ["093"]', 'departements is not a département code'],
    ['departements: ["75", "20"]', '2A and 2B for 20'],
    ['opco: " "', 'opco is empty'],
    ['romes: ["M1805"], partnersToExclude: ["Hellowork", ""]', 'partnersToExclude[1] is empty'],
  ])('refuses (%s) without a call', async (args, message) => {
    const { errors, messages } = await harness.send(`{ jobSearch(${args}) { truncated } }`);
    expect(errors).toEqual(['BAD_USER_INPUT jobSearch']);
    expect(messages[0]).toContain(message);
    expect(harness.service.calls).toEqual([]);
  });

  it('tells a refusal of the source with its own words', async () => {
    const { errors, messages } = await harness.send('{ jobSearch(rncp: "RNCP999") { truncated } }');
    expect(errors).toEqual(['UPSTREAM_REFUSED_INPUT jobSearch']);
    expect(messages[0]).toContain('Cannot find an active Certification for the given RNCP');
  });

  it('tells which argument was refused and what it takes, also where the source says much', async () => {
    const { errors, messages } = await harness.send('{ jobSearch(opco: "afdas") { truncated } }');
    expect(errors).toEqual(['UPSTREAM_REFUSED_INPUT jobSearch']);
    expect(messages[0]).toMatch(/refused the request: .*\bopco\b.*AFDAS.*…$/s);
  });
});

describe('what a job search found', () => {
  it('lists an offer of the agency once, though the source sends it in two parts', async () => {
    const { data } = await harness.send(`{ jobSearch { ${LABELS} } }`);
    const ids = data.jobSearch.jobs.map((job: { identifier: { offerId: string } }) => job.identifier.offerId);
    expect(ids).toEqual([...new Set(ids)]);
    expect(ids).toContain(storeId(2));
  });

  it('lists offers without an identifier, each of them, and completely', () =>
    fresh(
      async ({ send }) => {
        const { data, errors } = await send('{ jobSearch { jobs { identifier { offerId } offer { title } } } }');
        expect(errors).toEqual([]);
        const agency = data.jobSearch.jobs.filter(
          (job: { identifier: { offerId: null } }) => job.identifier.offerId === null,
        );
        expect(agency).toHaveLength(2);
      },
      tinyWorld({ offers: [storeId(2), storeId(3)].map((id) => offer({ id, label: 'France Travail' })) }),
      { era: 'seed' },
    ));

  it('leaves partners out also where the source forgets to', async () => {
    const { data } = await harness.send(
      `{ jobSearch(partnersToExclude: ["Hellowork", "recruteurs_lba"]) { ${LABELS} recruiters { identifier { recruiterId } } } }`,
    );
    const labels = data.jobSearch.jobs.map(
      (job: { identifier: { partnerLabel: string } }) => job.identifier.partnerLabel,
    );
    expect(labels).not.toContain('Hellowork');
    expect(labels).toContain('France Travail');
    expect(data.jobSearch.recruiters).toEqual([]);
  });

  it('passes the source’s warnings on: the result is partial, not failed', () =>
    fresh(async ({ send, service }) => {
      service.warn([{ code: 'JOB_OFFER_FORMATING_ERROR', message: 'Some job offers are invalid.' }]);
      const { data } = await send('{ jobSearch { warnings { code message } jobs { isDelegated } } }');
      expect(data.jobSearch.warnings).toEqual([
        { code: 'JOB_OFFER_FORMATING_ERROR', message: 'Some job offers are invalid.' },
      ]);
      expect(data.jobSearch.jobs).not.toEqual([]);
    }));

  it.each([
    ['149 own offers', 149, 'offres_emploi_lba', 0, false],
    ['150 own offers', 150, 'offres_emploi_lba', 0, true],
    ['150 of the agency', 150, 'France Travail', 0, true],
    ['149 of the agency, which come twice', 149, 'France Travail', 0, false],
    ['150 of several partners', 150, 'partner', 0, true],
    ['150 recruiters', 0, 'partner', 150, true],
  ])('says that it was cut off: %s', (_case, offers, label, recruiters, truncated) =>
    fresh(
      async ({ send }) =>
        expect((await send('{ jobSearch { truncated } }')).data).toEqual({ jobSearch: { truncated } }),
      tinyWorld({
        offers: Array.from({ length: offers }, (_, index) =>
          offer({ id: storeId(index), label: label === 'partner' ? `Partner ${index % 3}` : label }),
        ),
        recruiters: Array.from({ length: recruiters }, (_, index) => recruiter(storeId(1000 + index))),
      }),
    ),
  );
});

describe('a search without its list of offers', () => {
  it.each([[null], [undefined], ['none']])('has an error in their place, and no empty list: %j', (jobs) =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', set: { '/jobs': jobs } });
      const { data, errors } = await send('{ jobSearch { jobs { isDelegated } recruiters { isDelegated } } }');
      expect([data.jobSearch.jobs, errors]).toEqual([null, ['UPSTREAM_INVALID_RESPONSE jobSearch.jobs']]);
      expect(data.jobSearch.recruiters).not.toEqual([]);
    }),
  );
});

describe('searches from other places', () => {
  it('searches around a commune’s centre', () =>
    fresh(async ({ send, service }) => {
      await send(
        '{ commune(insee: "75056") { near: jobSearch(radius: 5, romes: ["M1805"]) { truncated } jobSearch { truncated } } }',
      );
      expect(service.callLines()).toEqual([
        'GET /api/geographie/v1/commune/search?code=75056 operator',
        search('latitude=48.8588&longitude=2.347'),
        search('latitude=48.8588&longitude=2.347&radius=5&romes=M1805'),
      ]);
    }));

  it.each([
    [0, 0],
    [2.35, 90.1],
    [-180.1, 48.85],
  ])('searches around no centre at %f, %f, which is none', (...coordinates) =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'wrong-type', set: { '/0/localisation/centre/coordinates': coordinates } });
      const { data, errors } = await send(
        '{ commune(insee: "75056") { jobSearch { truncated } formations { totalCount } } }',
      );
      expect([data.commune, errors]).toEqual([{ jobSearch: null, formations: null }, []]);
      expect(service.calls).toHaveLength(1);
    }),
  );

  it('searches a département by its code', () =>
    fresh(async ({ send, service }) => {
      await send('{ departements { jobSearch(targetDiplomaLevel: LEVEL_5) { truncated } } }');
      expect(service.callLines().filter((line) => line.includes('/job/'))).toEqual([
        search('target_diploma_level=5&departements=2A'),
        search('target_diploma_level=5&departements=75'),
      ]);
    }));
});

describe('jobOffer(id)', () => {
  it('answers an offer of any status, a recruiter in its shape, and null for an unknown one', () =>
    fresh(async ({ send, service }) => {
      const { data, errors } = await send(`{
        filled: jobOffer(id: "${storeId(5)}") { offer { status } }
        recruiter: jobOffer(id: "${storeId(20)}") { identifier { partnerLabel } offer { title description } workplace { name } }
        unknown: jobOffer(id: "${storeId(99)}") { offer { status } }
      }`);
      expect(errors).toEqual([]);
      expect(data).toEqual({
        filled: { offer: { status: 'FILLED' } },
        // Title and description are the label too, which says nothing; the workplace's name does.
        recruiter: {
          identifier: { partnerLabel: 'recruteurs_lba' },
          offer: { title: null, description: null },
          workplace: { name: expect.any(String) },
        },
        unknown: null,
      });
      expect(service.callLines()).toHaveLength(3);
    }));

  it('takes an identifier in capitals, as the source does', () =>
    fresh(async ({ send }) => {
      const { data } = await send(`{ jobOffer(id: "${storeId(1).toUpperCase()}") { identifier { offerId } } }`);
      expect(data).toEqual({ jobOffer: { identifier: { offerId: storeId(1) } } });
    }));
});
