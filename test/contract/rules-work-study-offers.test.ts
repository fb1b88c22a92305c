import { afterEach, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { offer, recruiter, storeId, workplace } from '../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { selectionOf, setAt, valuesAt } from './support/documented.js';
import { type RulesStack, stackOfRules } from './support/stack-of-rules.js';

/** Workplaces, recruiters and offers as clients read them: work-study 12.1 and 12.2.5 to 12.2.8. */

const own = (number: number, parts: Readonly<Record<string, unknown>> = {}, label = 'offres_emploi_lba'): Json => {
  const record = offer({ id: storeId(number), label });
  setAt(record, 'identifier.partner_job_id', `job-${number}`);
  for (const [path, value] of Object.entries(parts)) setAt(record, path, value);
  return record;
};

/** Of a training centre: the name, SIRET and address are its own, and the brand is null (work-study 8.4). */
const CFA = workplace({ name: 'CFA DE LA VILLE', brand: null, legal_name: 'CFA DE LA VILLE', siret: SIRETS.school });

const OFFERS = [
  own(1, { 'workplace.brand': 'Chez Léon', 'workplace.legal_name': 'LEON SARL', 'workplace.name': 'LEON SARL' }),
  own(2, { 'workplace.legal_name': 'MARTIN SA', 'workplace.name': 'MARTIN SA' }),
  own(3, { workplace: CFA, is_delegated: true }),
  own(4, { 'workplace.legal_name': 'DUPONT SAS', 'workplace.name': 'DUPONT SAS' }),
  own(5, {}, 'France Travail'),
  own(
    6,
    { 'contract.duration': 0, 'contract.remote': 'onsite', 'contract.type': ['Apprentissage', 'Professionnalisation'] },
    'Hellowork',
  ),
  own(7, { 'workplace.siret': null, 'contract.duration': null, 'contract.remote': null, 'offer.target_diploma': null }),
  own(8, {
    'workplace.siret': '123',
    'workplace.domain': { idcc: null, opco: null, naf: null },
    'contract.remote': 'remote',
  }),
  own(9, { 'workplace.domain.naf.label': null, 'offer.publication': { creation: null, expiration: null } }),
  own(10, { 'offer.target_diploma': { european: '7', label: 'Master' }, 'apply.recipient_id': null }),
  own(11, { 'offer.status': 'Filled' }),
  own(12, { 'offer.status': 'Cancelled' }),
];
const RECRUITERS = [recruiter(storeId(20)), recruiter(storeId(21), workplace({ siret: null }))];

const rules = stackOfRules({
  sandbox: {
    era: 'seed',
    world: tinyWorld({
      offers: OFFERS,
      recruiters: RECRUITERS,
      customNames: new Map([[storeId(4), 'Le Fournil de Dupont']]),
    }),
  },
});
const fresh = stackOfRules({ sandbox: { era: 'seed', world: tinyWorld({ offers: OFFERS }) } });
afterEach(() => {
  rules.sandbox.workStudy.era = 'seed';
});

const OFFER = selectionOf('JobOffer');
const RECRUITER = selectionOf('JobRecruiter');

/** The offers and recruiters of a search in an era, by their partner's id or their own; each era has its own key. */
async function searched(era: 'seed' | 'today' = 'seed'): Promise<Map<unknown, Json>> {
  rules.sandbox.workStudy.era = era;
  const { alice, bob } = rules.sandbox.keys.workStudy;
  const { jobSearch } = await rules.read(`{ jobSearch { jobs { ${OFFER} } recruiters { ${RECRUITER} } } }`, {
    headers: { 'x-work-study-key': era === 'seed' ? alice : bob },
  });
  return new Map([
    ...jobSearch.jobs.map((job: Json) => [valuesAt(job, 'identifier.partnerJobId')[0], job]),
    ...jobSearch.recruiters.map((one: Json) => [valuesAt(one, 'identifier.recruiterId')[0], one]),
  ]);
}

/** The places, from the log, at which a service sent what it does not document. */
const drifts = ({ stack }: RulesStack) =>
  stack.log.lines.flatMap(({ fields }) => ('place' in fields ? [fields.place] : []));

const at = (job: unknown, path: string): unknown => valuesAt(job, path)[0];

describe('origins', () => {
  test('WS-12 own offers, offers of the agency and likely recruiters are all found', async () => {
    const found = await searched();
    expect(at(found.get('job-1'), 'identifier.partnerLabel')).toBe('offres_emploi_svc');
    expect(at(found.get('job-5'), 'identifier.partnerLabel')).toBe('France Travail');
    expect(at(found.get(storeId(20)), 'workplace.name')).toBe('Boulangerie du Pont');
  });

  test('WS-13 an offer of the agency has no stored identifier and is complete; today it is stored and has one', async () => {
    const fetched = (await searched()).get('job-5');
    expect(fetched).toMatchObject({
      identifier: { offerId: null },
      apply: { recipientId: null },
      offer: { title: 'Développeur web' },
    });
    expect((await searched('today')).get('job-5')).toMatchObject({ identifier: { offerId: storeId(5) } });
  });

  test('WS-75 partner labels come through: those of the service in both eras, and any other', async () => {
    const labels = async (era: 'seed' | 'today') => {
      const found = await searched(era);
      return ['job-1', 'job-5', 'job-6'].map((job) => at(found.get(job), 'identifier.partnerLabel'));
    };
    expect(await labels('seed')).toEqual(['offres_emploi_svc', 'France Travail', 'Hellowork']);
    expect(await labels('today')).toEqual(['offres_emploi_lba', 'France Travail', 'Hellowork']);
    // A likely recruiter has a label when it comes in the shape of an offer (work-study 7.2).
    const recruiterById = `{ jobOffer(id: "${storeId(20)}") { identifier { partnerLabel } } }`;
    const { jobOffer } = await rules.read(recruiterById);
    expect(jobOffer.identifier.partnerLabel).toBe('recruteurs_lba');
    rules.sandbox.workStudy.era = 'seed';
    const { bob } = rules.sandbox.keys.workStudy;
    const seed = await rules.read(recruiterById, { headers: { 'x-work-study-key': bob } });
    expect(seed.jobOffer.identifier.partnerLabel).toBe('recruteurs_svc');
  });
});

describe('workplaces', () => {
  const NINE = ['name', 'description', 'website', 'siret', 'location', 'brand', 'legal_name', 'size', 'domain'];

  test('WS-60 nine keys of a workplace are required, the same under offers and recruiters', async () => {
    const filter = 'romes: ["M1805"]';
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/job/v1/search',
      change: (body) => {
        const { jobs, recruiters } = body as { jobs: Json[]; recruiters: Json[] };
        return {
          jobs: copies(jobs[0], NINE, 'workplace.'),
          recruiters: copies(recruiters[0] ?? RECRUITERS[0], NINE, 'workplace.'),
        };
      },
    });
    const selection = `workplace { ${selectionOf('Workplace')} }`;
    const { data, errors } = await rules.send(
      `{ jobSearch(${filter}) { jobs { ${selection} } recruiters { ${selection} } } }`,
    );
    const missing = NINE.map((key) => (key === 'legal_name' ? 'legalName' : key));
    for (const list of ['jobs', 'recruiters']) {
      const reported = errors.filter(({ path }) => path?.[1] === list).map(({ path }) => [path?.[2], path?.at(-1)]);
      expect(reported).toEqual(missing.map((key, index) => [index, key]));
      expect(data.jobSearch[list].map((one: Json) => Object.keys(one['workplace'] as Json).length)).toEqual(
        NINE.map(() => 9),
      );
    }
    expect(new Set(errors.map(({ extensions }) => extensions.code))).toEqual(new Set(['UPSTREAM_INVALID_RESPONSE']));
  });

  test('WS-61 the name is the custom one, else the brand, else the legal name, that of the CFA when delegated; today the legal name comes first', async () => {
    const names = async (era: 'seed' | 'today') => {
      const found = await searched(era);
      return [1, 2, 3, 4].map((number) => at(found.get(`job-${number}`), 'workplace.name'));
    };
    expect(await names('seed')).toEqual(['Chez Léon', 'MARTIN SA', 'CFA DE LA VILLE', 'Le Fournil de Dupont']);
    expect(await names('today')).toEqual(['LEON SARL', 'MARTIN SA', 'CFA DE LA VILLE', 'DUPONT SAS']);
  });

  test('WS-62, WS-85 a delegated offer has the SIRET and the name of the CFA, and says that it is delegated', async () => {
    const found = await searched();
    expect(found.get('job-3')).toMatchObject({
      isDelegated: true,
      workplace: { siret: SIRETS.school, name: 'CFA DE LA VILLE' },
    });
    expect(found.get('job-1')).toMatchObject({ isDelegated: false, workplace: { siret: SIRETS.bakery } });
  });

  test('WS-63 a workplace without a SIRET is answered; a malformed one passes as it was sent and is counted', async () => {
    const found = await searched();
    expect(['job-7', 'job-8'].map((job) => at(found.get(job), 'workplace.siret'))).toEqual([null, '123']);
    expect(at(found.get(storeId(21)), 'workplace.siret')).toBeNull();
    // Only the first drift of a kind is logged, so this needs a stack that has seen none.
    expect(drifts(fresh)).toEqual([]);
    await fresh.read('{ jobSearch { jobs { workplace { siret } } } }');
    expect(drifts(fresh)).toEqual(['Workplace.siret']);
  });

  test('WS-64, WS-67 every offer and every recruiter has an address, a point and an address to apply at', async () => {
    for (const one of (await searched()).values()) {
      expect(at(one, 'workplace.location.address')).toEqual(expect.any(String));
      expect(at(one, 'workplace.location.geopoint')).toMatchObject({
        type: 'Point',
        coordinates: [expect.any(Number), expect.any(Number)],
      });
      expect(at(one, 'apply.url')).toMatch(/^https:/);
      expect(one['apply']).toHaveProperty('phone', null);
    }
  });

  test('WS-65 of the domain each part may be null, and so may the label of a NAF code', async () => {
    const found = await searched();
    expect(at(found.get('job-8'), 'workplace.domain')).toEqual({ idcc: null, opco: null, naf: null });
    expect(at(found.get('job-9'), 'workplace.domain.naf')).toEqual({ code: '8411Z', label: null });
  });

  test('WS-71 an offer without a recipient is answered: there is nothing to apply with', async () => {
    const found = await searched();
    expect([10, 1].map((number) => at(found.get(`job-${number}`), 'apply.recipientId'))).toEqual([
      null,
      `partners_${storeId(1)}`,
    ]);
  });

  test('WS-72 a recruiter has an identifier, a workplace and a way to apply', async () => {
    const one = (await searched()).get(storeId(20));
    expect(one).toMatchObject({
      identifier: { recruiterId: storeId(20) },
      workplace: { siret: SIRETS.bakery },
      apply: { url: `https://postuler.example/${storeId(20)}` },
    });
  });
});

describe('offers', () => {
  test('WS-73, WS-85 five keys of an offer are required, and is_delegated reads as false without an error', async () => {
    const SIX = ['identifier', 'workplace', 'apply', 'contract', 'offer', 'is_delegated'];
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/job/v1/search',
      change: (body) => ({ ...(body as Json), jobs: copies((body as { jobs: Json[] }).jobs[0], SIX) }),
    });
    const { data, errors } = await rules.send(`{ jobSearch(departements: "75") { jobs { ${OFFER} } } }`);
    expect(errors.map(({ extensions, path = [] }) => [extensions.code, ...path.slice(2)])).toEqual(
      SIX.slice(0, 5).map((key, index) => ['UPSTREAM_INVALID_RESPONSE', index, key]),
    );
    expect(data.jobSearch.jobs).toHaveLength(6);
    expect(data.jobSearch.jobs[5]).toMatchObject({ isDelegated: false, offer: { title: 'Développeur web' } });
  });

  test('WS-76, WS-77, WS-78 duration, kinds of contract and remote work have their words and their nulls', async () => {
    const found = await searched();
    const contracts = [6, 7, 8].map((number) => found.get(`job-${number}`)?.['contract'] as Json);
    expect(contracts.map(({ duration, remote, type }) => [duration, remote, type])).toEqual([
      [0, 'ONSITE', ['APPRENTISSAGE', 'PROFESSIONNALISATION']],
      [null, null, ['APPRENTISSAGE']],
      [12, 'REMOTE', ['APPRENTISSAGE']],
    ]);
    expect(at(found.get('job-1'), 'contract.remote')).toBe('HYBRID');
  });

  test('WS-77, WS-78, WS-84 a word of tomorrow is OTHER with its text', async () => {
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/job/v1/search',
      set: { '/jobs/0/contract/type': ['Stage'], '/jobs/0/contract/remote': 'lune', '/jobs/0/offer/status': 'Paused' },
    });
    const { jobSearch } = await rules.read(
      '{ jobSearch(rncp: "RNCP37098") { jobs { contract { type typeRaw remote remoteRaw } offer { status statusRaw } } } }',
    );
    expect(jobSearch.jobs[0]).toEqual({
      contract: { type: ['OTHER'], typeRaw: ['Stage'], remote: 'OTHER', remoteRaw: 'lune' },
      offer: { status: 'OTHER', statusRaw: 'Paused' },
    });
  });

  test('WS-81 both dates of a publication are there and may be null', async () => {
    expect(at((await searched()).get('job-9'), 'offer.publication')).toEqual({ creation: null, expiration: null });
  });

  test.each(['M18', 'm1805', 'M18055', 'M 1805', ''])(
    'WS-82 a ROME code of an offer is a capital and four digits: "%s" is refused before a call',
    async (rome) => {
      const refusals = await rules.refusals('query ($romes: [ROMECode!]) { jobSearch(romes: $romes) { truncated } }', {
        variables: { romes: [rome] },
      });
      expect(refusals).toEqual(['BAD_USER_INPUT jobSearch']);
      expect(rules.stack.calls()).toEqual([]);
    },
  );

  test('WS-83 a target diploma is null or has a level and a label', async () => {
    const found = await searched();
    expect([7, 10].map((number) => at(found.get(`job-${number}`), 'offer.targetDiploma'))).toEqual([
      null,
      { european: 'LEVEL_7', label: 'Master' },
    ]);
  });

  test('WS-84, WS-86 there are offers of three statuses, and a search finds the active ones only', async () => {
    const found = await searched();
    expect([...found.keys()].filter((id) => ['job-11', 'job-12'].includes(String(id)))).toEqual([]);
    const { filled, cancelled, active } = await rules.read(
      `{ filled: jobOffer(id: "${storeId(11)}") { offer { status } } cancelled: jobOffer(id: "${storeId(12)}") { offer { status } }
         active: jobOffer(id: "${storeId(1)}") { offer { status } } }`,
    );
    expect([active, filled, cancelled].map(({ offer: { status } }) => status)).toEqual([
      'ACTIVE',
      'FILLED',
      'CANCELLED',
    ]);
  });
});

/** Copies of a record, each without one of the keys; their identifiers differ, because equal offers are merged. */
function copies(record: unknown, keys: readonly string[], prefix = ''): unknown[] {
  return keys.map((key, index) => {
    const copy = structuredClone(record);
    setAt(copy, 'identifier.id', storeId(100 + index));
    setAt(copy, `${prefix}${key}`, undefined);
    return copy;
  });
}
