import { afterEach, describe, expect, test } from 'vitest';
import { organization } from '../sandbox/volunteering/small-world.js';
import { recruiter, storeId } from '../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { selectionOf } from './support/documented.js';
import {
  APPLY,
  applicationInput,
  CREATE,
  type OfferParts,
  offerInput,
  UPDATE,
  withKey,
} from './support/offer-inputs.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** Publishing, export, applications and the states of an offer: work-study 12.2.6, 12.2.9, 12.2.10, 12.3 and 12.4. */

const world = tinyWorld({
  organizations: [organization('5f0000000000000000000001', { siret: SIRETS.bakery, rna: 'W751234567' })],
  recruiters: [recruiter(storeId(20))],
});
const rules = stackOfRules({ sandbox: { era: 'seed', world } });
const today = stackOfRules({ sandbox: { world } });
afterEach(() => {
  rules.sandbox.workStudy.era = 'seed';
});

const alice = (variables: Record<string, unknown> = {}) => withKey(rules.sandbox.keys.workStudy.alice, variables);

/** Just over ten minutes, after which the service has processed what was written. */
const PROCESSED_MS = 11 * 60_000;

async function create(parts: OfferParts): Promise<string> {
  const { createJobOffer } = await rules.read(CREATE, alice({ input: offerInput(parts) }));
  return createJobOffer.offerId;
}

async function publish(title: string): Promise<string> {
  const id = await create({ offer: { title } });
  rules.sandbox.workStudy.advance(PROCESSED_MS);
  return id;
}

/** What the store shows of an offer by its identifier, and whether a search finds it. */
async function seen(
  id: string,
): Promise<{ status: string | undefined; found: boolean; recipientId: string | undefined }> {
  const { jobOffer, jobSearch } = await rules.read(
    `{ jobOffer(id: "${id}") { offer { status } apply { recipientId } } jobSearch { jobs { identifier { offerId } } } }`,
    alice(),
  );
  const ids = jobSearch.jobs.map((job: { identifier: { offerId: string } }) => job.identifier.offerId);
  return { status: jobOffer?.offer.status, found: ids.includes(id), recipientId: jobOffer?.apply.recipientId };
}

async function publishing(id: string) {
  const { jobOfferPublishing } = await rules.read(
    `{ jobOfferPublishing(id: "${id}") { publishing { status statusRaw error { code label } } } }`,
  );
  return jobOfferPublishing.publishing;
}

/** The offers that the sandbox holds as refused, in the order of its table; the seed's eight codes come first. */
const refused = (index: number): string => `0fe0${String(index).padStart(20, '0')}`;

describe('the publishing state', () => {
  test('WS-87, WS-88, WS-125 is told after an offer was created: it will be published, and then it is, without an error', async () => {
    const id = await create({ offer: { title: 'Fromagère' } });
    expect(await publishing(id)).toEqual({ status: 'WILL_BE_PUBLISHED', statusRaw: null, error: null });
    rules.sandbox.workStudy.advance(PROCESSED_MS);
    expect(await publishing(id)).toEqual({ status: 'PUBLISHED', statusRaw: null, error: null });
  });

  test('WS-88 a state of tomorrow is OTHER with its text', async () => {
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/job/v1/offer/',
      set: { '/publishing/status': 'PAUSED' },
    });
    expect(await publishing(refused(0))).toMatchObject({ status: 'OTHER', statusRaw: 'PAUSED' });
  });

  test('WS-87 the key and its status are required', async () => {
    const query = `{ jobOfferPublishing(id: "${refused(0)}") { publishing { status } } }`;
    const { workStudy } = rules.sandbox;
    workStudy.fault({ kind: 'wrong-type', path: '/api/job/v1/offer/', times: 1, change: () => ({ publishing: {} }) });
    expect(await rules.refusals(query)).toEqual(['UPSTREAM_INVALID_RESPONSE jobOfferPublishing.publishing.status']);
    workStudy.fault({ kind: 'wrong-type', path: '/api/job/v1/offer/', times: 1, change: () => ({}) });
    expect(await rules.refusals(query)).toEqual(['UPSTREAM_INVALID_RESPONSE jobOfferPublishing.publishing']);
  });

  test('WS-89 an offer that will not be published is in no search; its state and error are there', async () => {
    const id = await publish('Stage de vente');
    expect(await publishing(id)).toMatchObject({ status: 'WILL_NOT_BE_PUBLISHED', error: { code: 'STAGE' } });
    expect(await seen(id)).toMatchObject({ status: undefined, found: false });
  });

  test('WS-90 the eight known error codes and any other come through as text', async () => {
    const codes = [];
    for (let index = 0; index < 8; index += 1) codes.push((await publishing(refused(index))).error.code);
    expect(codes).toEqual([
      'CLOSED_COMPANY',
      'DUPLICATE',
      'STAGE',
      'EXPIRED',
      'CFA',
      'ROME_BLACKLISTED',
      'WRONG_DATA',
      'NON_DIFFUSIBLE',
    ]);
    rules.sandbox.workStudy.fault({
      kind: 'wrong-type',
      path: '/api/job/v1/offer/',
      set: { '/publishing/error/code': 'MOON' },
    });
    expect((await publishing(refused(0))).error.code).toBe('MOON');
  });
});

describe('the export', () => {
  // With Alice's key: the two calls a minute of the operator's key are for the index of the export.
  const LINK = '{ jobOfferExport { url lastUpdate } }';

  test('WS-91, WS-124 its link lives for two minutes, and is requested anew each time', async () => {
    const { jobOfferExport: first } = await rules.read(LINK, alice());
    expect(first.lastUpdate).toMatch(/^\d{4}-\d\d-\d\dT/);
    const fetched = async (url: string) => (await fetch(url)).status;
    expect(await fetched(first.url)).toBe(200);
    rules.sandbox.workStudy.advance(2 * 60_000);
    expect(await fetched(first.url)).toBe(403);
    const { jobOfferExport: second } = await rules.read(LINK, alice());
    expect(await fetched(second.url)).toBe(200);
    expect(rules.stack.calls().filter((line) => line.startsWith('work-study GET /api/job/v1/export '))).toHaveLength(2);
  });

  test('WS-92 an offer is the same out of the export and out of the search', async () => {
    const { organization: found, jobSearch } = await today.read(
      `{ organization(rna: "W751234567") { jobOffers { complete nodes { ...All } } } jobSearch { jobs { ...All } } }
       fragment All on JobOffer { ${selectionOf('JobOffer')} }`,
    );
    const { complete, nodes } = found.jobOffers;
    expect(complete).toBe(true);
    expect(nodes.length).toBeGreaterThan(1);
    for (const node of nodes) expect(jobSearch.jobs).toContainEqual(node);
  });
});

describe('the states of an offer', () => {
  const WORDS: Readonly<Record<string, string>> = { FILLED: 'Filled', CANCELLED: 'Cancelled' };

  test('WS-116 a new offer is active, and is found, and takes applications', async () => {
    const id = await publish('Caviste');
    const { recipientId, ...state } = await seen(id);
    expect(state).toEqual({ status: 'ACTIVE', found: true });
    const { applyToJob } = await rules.read(APPLY, alice({ input: applicationInput(recipientId ?? '') }));
    expect(applyToJob.id).toMatch(/^[0-9a-f]{24}$/);
  });

  test.each(['FILLED', 'CANCELLED'])(
    'WS-116 a new offer that is %s is refused before a call; today the service would take it',
    async (status) => {
      const input = offerInput({ offer: { status } });
      expect(await rules.refusals(CREATE, alice({ input }))).toEqual(['userErrors createJobOffer']);
      expect(rules.stack.calls()).toEqual([]);
      const { workStudy, keys } = today.sandbox;
      const raw = await fetch(`${workStudy.url}/job/v1/offer`, {
        method: 'POST',
        headers: { authorization: `Bearer ${keys.workStudy.alice}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...input, offer: { ...(input['offer'] as object), status: WORDS[status] } }),
      });
      expect(raw.status).toBe(200);
    },
  );

  test.each(['FILLED', 'CANCELLED'])(
    'WS-117, WS-118 an update to %s ends it: the offer says so, and no search brings it back',
    async (status) => {
      const title = `Bouchère (${status})`;
      const id = await publish(title);
      expect(await seen(id)).toMatchObject({ status: 'ACTIVE', found: true });
      await rules.read(UPDATE, alice({ id, input: offerInput({ offer: { title, status } }) }));
      rules.sandbox.workStudy.advance(PROCESSED_MS);
      expect(await seen(id)).toMatchObject({ status, found: false });
    },
  );

  test('WS-117 of a filled offer an update makes a cancelled one', async () => {
    const id = await publish('Poissonnière');
    for (const status of ['FILLED', 'CANCELLED']) {
      await rules.read(UPDATE, alice({ id, input: offerInput({ offer: { title: 'Poissonnière', status } }) }));
      rules.sandbox.workStudy.advance(PROCESSED_MS);
      expect(await seen(id)).toMatchObject({ status });
    }
  });

  test('WS-123 the search answers every documented field of an offer', async () => {
    const { jobSearch } = await rules.read(
      `{ jobSearch(rncp: "RNCP37098") { jobs { ${selectionOf('JobOffer')} } } }`,
      alice(),
    );
    expect(jobSearch.jobs.length).toBeGreaterThan(0);
    for (const job of jobSearch.jobs) expect(Object.values(job)).not.toContain(null);
  });
});

describe('applying', () => {
  const RECIPIENT = `{ jobOffer(id: "${storeId(1)}") { apply { recipientId } } }`;

  test.each([
    ['seed', rules],
    ['today', today],
  ] as const)(
    'WS-70, WS-137 an application reaches the route that exists with the recipient of the offer: %s',
    async (_era, stack) => {
      const { recipientId } = (await stack.read(RECIPIENT)).jobOffer.apply;
      await stack.read(APPLY, alice({ input: applicationInput(recipientId) }));
      const { calls, unknownPaths } = stack.sandbox.workStudy;
      expect(calls.at(-1)).toMatchObject({
        method: 'POST',
        url: '/api/job/v1/apply',
        key: 'alice',
        body: { recipient_id: recipientId },
      });
      expect(unknownPaths).toEqual([]);
    },
  );

  test.each(['+1 202 555 0143', '0899 12 34 56'])(
    'WS-68 the phone %s of an applicant is refused by the service',
    async (applicantPhone) => {
      const input = applicationInput(`partners_${storeId(1)}`, { applicantPhone });
      expect(await rules.refusals(APPLY, alice({ input }))).toEqual(['userErrors applyToJob']);
    },
  );
});
