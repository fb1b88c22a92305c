import { describe, expect, it } from 'vitest';
import { keyOf } from '../../subgraph-harness.js';
import { alice, bob, fresh, sharedHarness } from '../support/harness.js';
import { storeId } from '../support/records.js';

const harness = sharedHarness();

const CREATE = 'mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { offerId userErrors { message } } }';
const UPDATE =
  'mutation ($id: ID!, $input: JobOfferInput!) { updateJobOffer(id: $id, input: $input) { offerId userErrors { message } } }';
const messagesOf = (data: Record<string, { userErrors: { message: string }[] }>) =>
  Object.values(data).flatMap(({ userErrors }) => userErrors.map(({ message }) => message));
const STATE = (id: string) =>
  `{ jobOfferPublishing(id: "${id}") { publishing { status statusRaw error { code label } } } }`;

const TEN_MINUTES = 10 * 60_000;

/** The smallest offer that the documentation allows. */
const SMALLEST = {
  workplace: { siret: '13002526500013' },
  apply: { email: 'mail@example.fr' },
  offer: { title: 'Web', description: 'Trente caractères, pas un seul de moins.'.slice(0, 30) },
};

/** The smallest offer with one value set by its path, such as `offer.title`. */
function offerWith(path: string, value: unknown): Record<string, unknown> {
  const copy = structuredClone(SMALLEST) as Record<string, unknown>;
  const names = path.split('.');
  const last = names.pop() ?? '';
  let place = copy;
  for (const name of names) {
    place[name] ??= {};
    place = place[name] as Record<string, unknown>;
  }
  place[last] = value;
  return copy;
}

describe('createJobOffer', () => {
  it('sends what was written in the source’s spelling, and nothing that was left out', () =>
    fresh(async ({ send, service }) => {
      const input = {
        identifier: { partnerJobId: 'mine-1' },
        workplace: {
          siret: '13002526500013',
          name: null,
          description: '<p>Nous <script>x</script></p>',
          website: 'https://fournil.example/',
          location: { address: '20 avenue de Ségur 75007 Paris' },
        },
        apply: { email: null, url: 'https://postuler.example/1', phone: '01 99 00 00 00' },
        contract: { duration: 0, start: '2026-09-23T12:00:00+02:00', remote: 'HYBRID', type: ['APPRENTISSAGE'] },
        offer: {
          title: ' Développeur ',
          description: 'Conçoit, développe et met au point.',
          desiredSkills: ['Autonomie'],
          toBeAcquiredSkills: [],
          openingCount: 2,
          romeCodes: null,
          targetDiploma: { european: 'LEVEL_6' },
          publication: { creation: null, expiration: '2999-05-14T00:00:00Z' },
          multicast: false,
          origin: 'agrégateur',
          status: 'ACTIVE',
        },
      };
      expect(await send(CREATE, { key: alice, variables: { input } })).toMatchObject({ errors: [] });
      expect(service.calls[0]?.body).toEqual({
        identifier: { partner_job_id: 'mine-1' },
        workplace: input.workplace,
        apply: input.apply,
        contract: { duration: 0, start: '2026-09-23T12:00:00+02:00', remote: 'hybrid', type: ['Apprentissage'] },
        offer: {
          title: ' Développeur ',
          description: 'Conçoit, développe et met au point.',
          desired_skills: ['Autonomie'],
          to_be_acquired_skills: [],
          opening_count: 2,
          rome_codes: null,
          target_diploma: { european: '6' },
          publication: { creation: null, expiration: '2999-05-14T00:00:00Z' },
          multicast: false,
          origin: 'agrégateur',
          status: 'Active',
        },
      });
      expect(service.callLines()).toEqual(['POST /api/job/v1/offer alice']);
    }));

  it('replaces the offer that carries the same partnerJobId, and makes another without one', () =>
    fresh(async ({ send }) => {
      const create = async (input: unknown) =>
        (await send(CREATE, { key: alice, variables: { input } })).data.createJobOffer.offerId;
      const input = { ...SMALLEST, identifier: { partnerJobId: 'mine-2' } };
      expect(await create(input)).toBe(await create(input));
      expect(await create(SMALLEST)).not.toBe(await create(SMALLEST));
    }));

  it.each([
    ['workplace.siret', '13002526500014', 'input.workplace.siret is not a SIRET'],
    ['workplace.siret', '130025265', 'input.workplace.siret is not a SIRET'],
    ['workplace.website', 'fournil.example', 'input.workplace.website is not a web address'],
    ['apply.email', 'mail at example.fr', 'input.apply.email is not an e-mail address'],
    ['apply.url', 'javascript:alert(1)', 'input.apply.url is not a web address'],
    ['apply.phone', '12', 'input.apply.phone is not a telephone number'],
    ['apply', {}, 'input.apply needs at least one of email, url and phone'],
    ['apply', { email: null, url: null, phone: null }, 'input.apply needs at least one'],
    ['identifier', null, 'input.identifier may be omitted, but not null'],
    ['contract', null, 'input.contract may be omitted'],
    ['contract.duration', -1, 'input.contract.duration must be between 0'],
    ['contract.start', '2026-09-23', 'input.contract.start is not a date and time with its zone'],
    ['contract.start', '2026-09-23T10:00:00', 'input.contract.start is not a date and time with its zone'],
    ['contract.type', null, 'input.contract.type may be omitted'],
    ['offer.title', 'We', 'input.offer.title needs at least 3 characters'],
    ['offer.description', 'x'.repeat(29), 'input.offer.description needs at least 30 characters'],
    ['offer.romeCodes', ['M180'], 'input.offer.romeCodes is not a ROME code'],
    ['offer.targetDiploma', { european: 'LEVEL_2' }, 'input.offer.targetDiploma.european must be a level from 3 to 7'],
    ['offer.targetDiploma', { european: 'LEVEL_8' }, 'input.offer.targetDiploma.european must be a level from 3 to 7'],
    ['offer.publication', null, 'input.offer.publication may be omitted'],
    ['offer.publication', { expiration: '2999-01-01' }, 'input.offer.publication.expiration is not a date and time'],
    ['offer.openingCount', null, 'input.offer.openingCount may be omitted'],
    ['offer.desiredSkills', null, 'input.offer.desiredSkills may be omitted'],
    ['offer.multicast', null, 'input.offer.multicast may be omitted'],
    ['offer.status', null, 'input.offer.status may be omitted'],
    ['offer.status', 'FILLED', 'input.offer.status must be ACTIVE'],
  ])('refuses %s: %j without a call', async (path, value, message) => {
    const { data, errors } = await harness.send(CREATE, {
      key: alice,
      variables: { input: offerWith(path, value) },
    });
    expect([data.createJobOffer.offerId, errors]).toEqual([null, []]);
    expect(messagesOf(data)[0]).toContain(message);
    expect(harness.service.calls).toEqual([]);
  });

  it('refuses a telephone number that only the source knows to be wrong, with the source’s words', async () => {
    const input = offerWith('apply', { phone: '0899123456' });
    const { data, errors } = await harness.send(CREATE, { key: alice, variables: { input } });
    expect(errors).toEqual([]);
    expect(messagesOf(data)[0]).toContain('body.apply.phone');
  });

  it('needs a key of one’s own, with the right to publish; the operator’s key never writes', async () => {
    const requested = (key: typeof alice | null) => harness.send(CREATE, { key, variables: { input: SMALLEST } });
    expect((await requested(null)).errors).toEqual(['CREDENTIALS_REQUIRED createJobOffer']);
    expect(harness.service.calls).toEqual([]);
    expect((await requested(bob)).errors).toEqual(['PERMISSION_DENIED createJobOffer']);
    expect((await requested(keyOf('no key at all'))).errors).toEqual(['CREDENTIALS_REJECTED createJobOffer']);
    expect(harness.service.callLines()).toEqual(['POST /api/job/v1/offer bob', 'POST /api/job/v1/offer unknown']);
  });

  it('is never repeated, whatever fails', () =>
    fresh(async ({ send, service }) => {
      service.fault({ kind: 'status', status: 503 });
      const { errors } = await send(CREATE, { key: alice, variables: { input: SMALLEST } });
      expect(errors).toEqual(['UPSTREAM_UNAVAILABLE createJobOffer']);
      expect(service.calls).toHaveLength(1);
    }));
});

describe('a written offer', () => {
  it('has its publishing state beside its identifier, by one further call', () =>
    fresh(async ({ send, service }) => {
      const create = CREATE.replace(
        '{ offerId userErrors { message } }',
        '{ offerId publishing { id offerId publishing { status } } }',
      );
      const { data, errors } = await send(create, { key: alice, variables: { input: SMALLEST } });
      expect(errors).toEqual([]);
      const { offerId, publishing } = data.createJobOffer;
      expect(publishing).toEqual({
        id: `JobOfferPublishing:${offerId}`,
        offerId,
        publishing: { status: 'WILL_BE_PUBLISHED' },
      });
      expect(service.calls).toHaveLength(2);
    }));
});

describe('updateJobOffer', () => {
  const published = async ({ send, service }: Pick<typeof harness, 'send' | 'service'>) => {
    const { data } = await send(CREATE, { key: alice, variables: { input: SMALLEST } });
    service.advance(TEN_MINUTES);
    return data.createJobOffer.offerId as string;
  };

  it('replaces the whole offer, and what was cached of it for this key is forgotten', () =>
    fresh(async ({ send, service }) => {
      const id = await published({ send, service });
      const status = async () =>
        (await send(`{ jobOffer(id: "${id}") { offer { status } } }`, { key: alice })).data.jobOffer.offer.status;
      expect(await status()).toBe('ACTIVE');
      const input = offerWith('offer.status', 'FILLED');
      expect(await send(UPDATE, { key: alice, variables: { id, input } })).toMatchObject({
        data: { updateJobOffer: { offerId: id, userErrors: [] } },
        errors: [],
      });
      service.advance(TEN_MINUTES);
      expect(await status()).toBe('FILLED');
      const again = await send(UPDATE, { key: alice, variables: { id, input } });
      expect(again.errors).toEqual([]);
      expect(messagesOf(again.data)[0]).toContain('Job must be active in order to be modified');
    }));

  it('tells an offer of another organisation, an unknown one and an identifier that no offer has apart', async () => {
    const requested = async (id: string) => {
      const { data, errors } = await harness.send(UPDATE, { key: alice, variables: { id, input: SMALLEST } });
      return errors.length > 0 ? errors : messagesOf(data);
    };
    expect(await requested(storeId(1))).toEqual(['PERMISSION_DENIED updateJobOffer']);
    expect(await requested(storeId(99))).toEqual([expect.any(String)]);
    const calls = harness.service.callLines().length;
    expect(await requested('not-hex')).toEqual([expect.stringMatching(/^id /)]);
    expect(await requested('')).toEqual([expect.stringMatching(/^id /)]);
    expect(harness.service.callLines()).toHaveLength(calls);
  });

  it('checks the offer as createJobOffer does, but lets it end', async () => {
    const input = offerWith('offer.title', 'We');
    const { data } = await harness.send(UPDATE, { key: alice, variables: { id: storeId(1), input } });
    expect(messagesOf(data)).toEqual([expect.stringMatching(/^input\.offer\.title /)]);
    expect(harness.service.calls).toEqual([]);
  });
});

describe('jobOfferPublishing', () => {
  it('is null for an offer that the source does not know, and asks each time', async () => {
    for (const _time of [1, 2])
      expect((await harness.send(STATE(storeId(98)))).data).toEqual({ jobOfferPublishing: null });
    expect(harness.service.calls).toHaveLength(2);
  });
});
