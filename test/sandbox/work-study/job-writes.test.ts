import { describe, expect, it } from 'vitest';
import { offer, storeId } from '../../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../../work-study/support/tiny-world.js';
import { startedWorkStudy } from './started.js';

const TEN_MINUTES = 10 * 60_000;

const { service, get, send } = await startedWorkStudy({
  world: tinyWorld({
    offers: [
      offer({ id: storeId(1) }),
      offer({ id: storeId(2), label: 'jeune_1_solution', offer: { title: 'Secrétaire' } }),
      offer({ id: storeId(3), label: 'jeune_1_solution', offer: { status: 'Filled' } }),
    ],
  }),
});

/** The smallest body that is accepted (work-study 9.3). */
function body(
  more: { workplace?: object; apply?: object; contract?: object; offer?: object; identifier?: unknown } = {},
) {
  return {
    ...(more.identifier !== undefined && { identifier: more.identifier }),
    ...(more.contract !== undefined && { contract: more.contract }),
    workplace: { siret: SIRETS.bakery, ...more.workplace },
    apply: more.apply ?? { email: 'mail@mail.com' },
    offer: { title: 'Apprentie boulangère', description: 'Envie de faire du pain ? Rejoignez-nous !', ...more.offer },
  };
}

const create = async (more = {}) => (await send('POST', '/job/v1/offer', body(more))).json().id as string;
const state = async (id: string) => (await get(`/job/v1/offer/${id}/publishing-informations`)).json().publishing;
const read = async (id: string) => (await get(`/job/v1/offer/${id}`)).json();

describe('creating an offer (work-study 7.4)', () => {
  it('answers 200 with an id that only the publishing state knows until the job has run', async () => {
    const { status, json } = await send('POST', '/job/v1/offer', body());
    expect([status, Object.keys(json())]).toEqual([200, ['id']]);
    const { id } = json();
    expect(id).toMatch(/^[0-9a-f]{24}$/);
    expect(await state(id)).toEqual({ status: 'WILL_BE_PUBLISHED' });
    expect((await get(`/job/v1/offer/${id}`)).status).toBe(404);
    expect((await send('PUT', `/job/v1/offer/${id}`, body())).status).toBe(404);
    service.advance(TEN_MINUTES);
    expect(await state(id)).toEqual({ status: 'PUBLISHED' });
    expect((await get('/job/v1/search')).json().jobs).toContainEqual(
      expect.objectContaining({ identifier: expect.objectContaining({ id }) }),
    );
  });
});

describe('what is refused (work-study 5.2, 7.4, 12.2.11)', () => {
  const messages = async (sent: unknown) => {
    const { status, json } = await send('POST', '/job/v1/offer', sent);
    return status === 400 ? json().message : `${status}`;
  };

  it('tells an unreachable offer once for each kind of contact', async () => {
    const text = 'At least one of url, email, or phone is required';
    expect(await messages(body({ apply: {} }))).toBe(
      `body.apply.url: ${text}, body.apply.email: ${text}, body.apply.phone: ${text}`,
    );
    for (const apply of [{ email: 'a@b.fr' }, { url: 'https://a.fr' }, { phone: '0612345678' }]) {
      expect(await messages(body({ apply }))).toBe('200');
    }
  });

  it.each([
    [{ workplace: { siret: '1234' } }, 'body.workplace.siret: Invalid string: must match pattern /^\\d{14}$/'],
    [{ workplace: { siret: '13002526500014' } }, 'body.workplace.siret: SIRET invalide'],
    [{ workplace: { website: 'site' } }, 'body.workplace.website: Invalid URL'],
    [{ apply: { email: 'mail' } }, 'body.apply.email: Invalid email address'],
    [{ apply: { url: 'apply' } }, 'body.apply.url: Invalid URL'],
    [{ apply: { phone: '0899123456' } }, 'body.apply.phone: Invalid phone number'],
    [{ contract: { duration: -1 } }, 'body.contract.duration: Too small: expected number to be >=0'],
    [{ contract: { duration: 1.5 } }, 'body.contract.duration: Invalid input: expected int, received number'],
    [{ contract: { start: '2026-10-01' } }, 'body.contract.start: Expected ISO 8601 date string'],
    [
      { contract: { remote: 'home' } },
      'body.contract.remote: Invalid option: expected one of "onsite"|"remote"|"hybrid"',
    ],
    [
      { contract: { type: ['Stage'] } },
      'body.contract.type.0: Invalid option: expected one of "Apprentissage"|"Professionnalisation"',
    ],
    [{ offer: { title: 'ab' } }, 'body.offer.title: Too small: expected string to have >=3 characters'],
    [
      { offer: { description: 'x'.repeat(29) } },
      'body.offer.description: Too small: expected string to have >=30 characters',
    ],
    [{ offer: { rome_codes: ['M16'] } }, 'body.offer.rome_codes.0: Invalid string: must match pattern /^[A-Z]\\d{4}$/'],
    [{ offer: { publication: null } }, 'body.offer.publication: Invalid input: expected object, received null'],
    [
      { offer: { publication: { creation: '2026-09-01T08:10:00Z' } } },
      'body.offer.publication.creation: Creation date cannot be in the future',
    ],
    [
      { offer: { publication: { expiration: '2026-09-01T07:58:00Z' } } },
      'body.offer.publication.expiration: Expiration date cannot be in the past',
    ],
    [{ offer: { opening_count: '1' } }, 'body.offer.opening_count: Invalid input: expected number, received string'],
    [{ offer: { multicast: 'yes' } }, 'body.offer.multicast: Invalid input: expected boolean, received string'],
    [{ identifier: {} }, 'body.identifier.partner_job_id: Invalid input: expected string, received undefined'],
  ])('refuses %j', async (more, message) => {
    expect(await messages(body(more))).toBe(message);
  });
});

describe('replacing an offer (work-study 7.5)', () => {
  it('checks the id, the owner, the body, the offer and its status, in this order', async () => {
    const put = async (id: string, sent: unknown) => {
      const { status, json } = await send('PUT', `/job/v1/offer/${id}`, sent);
      return [status, json().error, json().message];
    };
    expect(await put('nonsense', {})).toEqual([500, 'Internal Server Error', 'Une erreur est survenue']);
    expect(await put(storeId(1), {})).toEqual([403, 'Forbidden', 'Unauthorized']);
    expect((await put(storeId(2), {}))[0]).toBe(400);
    expect(await put(storeId(99), body())).toEqual([404, 'Not Found', 'Job offer not found']);
    expect(await put(storeId(3), body())).toEqual([400, 'Bad Request', 'Job must be active in order to be modified']);
  });

  it('may bring a filled offer to another status in the seed, which states no such rule', async () => {
    service.era = 'seed';
    expect((await send('PUT', `/job/v1/offer/${storeId(3)}`, body({ offer: { status: 'Cancelled' } }))).status).toBe(
      204,
    );
  });
});

it('forgets everything that was written when it is reset', async () => {
  const id = await create();
  service.advance(TEN_MINUTES);
  await read(id);
  service.reset();
  expect((await get(`/job/v1/offer/${id}`)).status).toBe(404);
});
