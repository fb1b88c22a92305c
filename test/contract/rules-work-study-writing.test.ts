import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Json } from '../../sandbox/world/types.js';
import { offer, storeId } from '../work-study/support/records.js';
import { SIRETS, tinyWorld } from '../work-study/support/tiny-world.js';
import { selectionOf } from './support/documented.js';
import { CREATE, type OfferParts, offerInput, withKey } from './support/offer-inputs.js';
import { stackOfRules } from './support/stack-of-rules.js';

/** Offers as clients write them: work-study 12.2.11. */

const short = offer({ id: storeId(30), offer: { description: 'Court.', title: 'Vendeur' } });
const rules = stackOfRules({
  // Without training centres, whose offers would not be published.
  sandbox: { era: 'seed', world: tinyWorld({ offers: [...tinyWorld().offers, short], organismes: [] }) },
});
afterEach(() => {
  rules.sandbox.workStudy.era = 'seed';
});

type Era = 'seed' | 'today';

/** Creates an offer; returns its identifier and what the service was sent. */
async function create(parts: OfferParts, era: Era = 'seed'): Promise<{ readonly id: string; readonly sent: Json }> {
  const { workStudy, keys } = rules.sandbox;
  workStudy.era = era;
  const { createJobOffer } = await rules.read(CREATE, withKey(keys.workStudy.alice, { input: offerInput(parts) }));
  return { id: createJobOffer.offerId, sent: workStudy.calls.at(-1)?.body as Json };
}

/** Creates an offer and reads it once the service, which works every ten minutes, has processed it. */
async function publish(parts: OfferParts, era: Era = 'seed') {
  const { id, sent } = await create(parts, era);
  rules.sandbox.workStudy.advance(11 * 60_000);
  const { jobOffer } = await rules.read(
    `{ jobOffer(id: "${id}") { ${selectionOf('JobOffer')} } }`,
    withKey(rules.sandbox.keys.workStudy.alice),
  );
  return { sent, offer: jobOffer };
}

/** The errors of creating an offer. Callers check that nothing was sent, unless the service itself refused. */
async function refusals(input: unknown): Promise<string[]> {
  return rules.refusals(CREATE, withKey(rules.sandbox.keys.workStudy.alice, { input }));
}

const DESCRIPTION_OF_30 = 'Pétrir et cuire le pain, seul.';

describe('an offer with nothing but what is required', () => {
  let bare: Awaited<ReturnType<typeof publish>>;
  beforeAll(async () => {
    bare = await publish({ workplace: { siret: SIRETS.nobody } });
  });

  test('WS-94 identifier may be left out', () => {
    expect(bare.sent).not.toHaveProperty('identifier');
  });

  test('WS-95 brand, legal name, size, IDCC, OPCO and NAF come from the SIRET', () => {
    const { brand, legalName, size, domain } = bare.offer.workplace;
    expect([brand, legalName, size, domain.idcc, domain.opco, domain.naf]).not.toContain(null);
    expect(bare.sent['workplace']).toEqual({ siret: SIRETS.nobody });
  });

  test('WS-97 the workplace has its brand for a name; today its legal name', async () => {
    expect(bare.offer.workplace.name).toBe(bare.offer.workplace.brand);
    const today = await publish({ workplace: { siret: SIRETS.nobody }, offer: { title: 'Tourier' } }, 'today');
    expect(today.offer.workplace.name).toBe(today.offer.workplace.legalName);
  });

  test('WS-98 the address and its point are those of the establishment', () => {
    const { address, geopoint } = bare.offer.workplace.location;
    expect(address).toMatch(/\d{5} [A-Z]/);
    expect(geopoint).toMatchObject({ type: 'Point', coordinates: [expect.any(Number), expect.any(Number)] });
  });

  test('WS-103 the contract is of both kinds', () => {
    expect(bare.sent).not.toHaveProperty('contract');
    expect(bare.offer.contract.type).toEqual(['APPRENTISSAGE', 'PROFESSIONNALISATION']);
  });

  test('WS-107 skills and conditions are empty lists', () => {
    const { desiredSkills, toBeAcquiredSkills, accessConditions } = bare.offer.offer;
    expect([desiredSkills, toBeAcquiredSkills, accessConditions]).toEqual([[], [], []]);
  });

  test('WS-108, WS-114 it is one position, and active', () => {
    expect(bare.offer.offer).toMatchObject({ openingCount: 1, status: 'ACTIVE' });
  });

  test('WS-112 it may go to all platforms: false is sent only when the caller says so', async () => {
    expect((bare.sent['offer'] as Json)['multicast'] ?? true).toBe(true);
    const unchanged = await create({ offer: { title: 'Fournier', multicast: false } });
    expect((unchanged.sent['offer'] as Json)['multicast']).toBe(false);
  });
});

describe('an offer with everything', () => {
  const HTML = '<p>Un <b>beau</b> <i>métier</i>, <em>le</em> <strong>pain</strong> :<br></p><ul><li>pétrir</li></ul>';
  let full: Awaited<ReturnType<typeof publish>>;
  beforeAll(async () => {
    full = await publish({
      identifier: { partnerJobId: 'fournil-7' },
      workplace: {
        siret: SIRETS.nobody,
        name: 'Le Fournil',
        description: HTML,
        website: 'https://fournil.example/',
        location: { address: '4 rue du Four 94110 ARCUEIL' },
      },
      contract: { duration: 0, remote: 'ONSITE', type: ['PROFESSIONNALISATION'] },
      offer: {
        title: 'Pâtissière',
        description: `${HTML}<script>alert(1)</script><a class="x" href="https://x.example">ici</a><p class="x">fin</p>`,
        targetDiploma: { european: 'LEVEL_5' },
        publication: { creation: null, expiration: null },
        romeCodes: ['D1104'],
        status: 'ACTIVE',
      },
    });
  });

  test('WS-74 comes back under the identifier of the partner', () => {
    expect(full.offer.identifier.partnerJobId).toBe('fournil-7');
  });

  test('WS-61, WS-97 has its custom name', () => {
    expect(full.offer.workplace.name).toBe('Le Fournil');
  });

  test('WS-98 has its custom address, and the point of that', () => {
    expect(full.offer.workplace.location).toEqual({
      address: '4 rue du Four 94110 ARCUEIL',
      geopoint: { type: 'Point', coordinates: [2.3353, 48.8058] },
    });
  });

  test('WS-76, WS-77, WS-78, WS-102 keeps duration 0 and its kind of contract and of place', () => {
    expect(full.offer.contract).toMatchObject({ duration: 0, remote: 'ONSITE', type: ['PROFESSIONNALISATION'] });
    expect(full.sent['contract']).toEqual({ duration: 0, remote: 'onsite', type: ['Professionnalisation'] });
  });

  test('WS-105 keeps the limited HTML as it was written', () => {
    expect((full.sent['workplace'] as Json)['description']).toBe(HTML);
    expect(full.offer.workplace.description).toBe(HTML);
    expect(full.offer.offer.description.startsWith(HTML)).toBe(true);
  });

  test('WS-106 loses other tags and attributes at the service, which takes it all the same', () => {
    expect((full.sent['offer'] as Json)['description']).toContain('<script>');
    expect(full.offer.offer.description).toBe(`${HTML}ici<p>fin</p>`);
  });

  test('WS-109 keeps its ROME codes; without any, and today always, they come from the title', async () => {
    expect(full.offer.offer.romeCodes).toEqual(['D1104']);
    const deduced = await publish({ offer: { title: 'Développeur confirmé' } });
    expect(deduced.sent['offer']).not.toHaveProperty('rome_codes');
    expect(deduced.offer.offer.romeCodes).toEqual(['M1805']);
    const today = await publish({ offer: { title: 'Développeur débutant', romeCodes: ['D1104'] } }, 'today');
    expect(today.offer.offer.romeCodes).toEqual(['M1805']);
  });

  test('WS-110 leads to a level without a label of its own; null and a null level are taken too', async () => {
    expect((full.sent['offer'] as Json)['target_diploma']).toEqual({ european: '5' });
    expect(full.offer.offer.targetDiploma).toMatchObject({ european: 'LEVEL_5', label: expect.any(String) });
    const none = await create({ offer: { title: 'Glacier', targetDiploma: null } });
    expect((none.sent['offer'] as Json)['target_diploma']).toBeNull();
    const unknown = await create({ offer: { title: 'Chocolatier', targetDiploma: { european: null } } });
    expect((unknown.sent['offer'] as Json)['target_diploma']).toEqual({ european: null });
  });

  test('WS-111 may leave both dates of its publication null', () => {
    expect((full.sent['offer'] as Json)['publication']).toEqual({ creation: null, expiration: null });
  });
});

describe('what is taken', () => {
  test('WS-79, WS-104 a title of 3 characters and a description of 30', async () => {
    expect(DESCRIPTION_OF_30).toHaveLength(30);
    await create({ offer: { title: 'Mir', description: DESCRIPTION_OF_30 } });
  });

  test('WS-104 a shorter description, where it is read', async () => {
    const { jobOffer } = await rules.read(`{ jobOffer(id: "${storeId(30)}") { offer { description } } }`);
    expect(jobOffer.offer.description).toBe('Court.');
  });

  test.each([
    { email: 'embauche@example.fr' },
    { url: 'https://fournil.example/postuler' },
    { phone: '01 99 00 00 00' },
  ])('WS-99 one way to apply: %j', async (apply) => {
    expect((await create({ apply })).sent['apply']).toEqual(apply);
  });

  test('WS-76, WS-102 a duration that is null', async () => {
    expect((await create({ contract: { duration: null } })).sent['contract']).toEqual({ duration: null });
  });

  test('WS-68, WS-100 a European phone; today any country', async () => {
    const offerWith = (phone: string) => ({ apply: { phone } });
    await create(offerWith('+49 30 901820'));
    expect(await refusals(offerInput(offerWith('+1 202 555 0143')))).toEqual(['userErrors createJobOffer']);
    expect(await refusals(offerInput(offerWith('0899 12 34 56')))).toEqual(['userErrors createJobOffer']);
    await create(offerWith('+1 202 555 0143'), 'today');
  });
});

describe('what is refused before a call', () => {
  const LEAST = offerInput();
  test.each<[string, Record<string, unknown>]>([
    ['WS-76, WS-102 a duration below 0', offerInput({ contract: { duration: -1 } })],
    ['WS-77 a kind of contract that is none', offerInput({ contract: { type: ['OTHER'] } })],
    ['WS-78 a kind of remote work that is none', offerInput({ contract: { remote: 'OTHER' } })],
    ['WS-79 a title of 2 characters', offerInput({ offer: { title: 'Mi' } })],
    ['WS-82 a ROME code without four digits', offerInput({ offer: { romeCodes: ['M180'] } })],
    ['WS-84 a status that is none', offerInput({ offer: { status: 'OTHER' } })],
    ['WS-94 an identifier without the id of the partner', offerInput({ identifier: {} })],
    ['WS-96 no SIRET', { ...LEAST, workplace: {} }],
    ['WS-96 a SIRET of 13 digits', offerInput({ workplace: { siret: SIRETS.bakery.slice(1) } })],
    ['WS-96 a SIRET that is none', offerInput({ workplace: { siret: `${SIRETS.bakery.slice(0, 13)}4` } })],
    ['WS-99 no way to apply', { ...LEAST, apply: {} }],
    ['WS-100 a phone of two digits', offerInput({ apply: { phone: '12' } })],
    ['WS-101 an e-mail without an @', offerInput({ apply: { email: 'embauche.example.fr' } })],
    ['WS-101 an address to apply at that is none', offerInput({ apply: { url: 'fournil' } })],
    ['WS-101 a website that is none', offerInput({ workplace: { website: 'fournil' } })],
    ['WS-104 a description of 29 characters', offerInput({ offer: { description: DESCRIPTION_OF_30.slice(1) } })],
    ['WS-110 a diploma of level 2', offerInput({ offer: { targetDiploma: { european: 'LEVEL_2' } } })],
    ['WS-110 a diploma with a label', offerInput({ offer: { targetDiploma: { european: 'LEVEL_5', label: 'BTS' } } })],
    ['WS-111 a publication that is null', offerInput({ offer: { publication: null } })],
  ])('%s', async (_name, input) => {
    const reported = await refusals(input);
    expect(reported).toHaveLength(1);
    expect(reported[0]).toMatch(/^(BAD_USER_INPUT|userErrors)/);
    expect(rules.stack.calls()).toEqual([]);
  });
});
