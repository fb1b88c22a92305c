import type { Era } from '../../server/types.js';
import { perWorld } from '../../world/per-world.js';
import { isRecord, type Json, type World } from '../../world/types.js';
import type { CommuneSearch } from '../reference/geography.js';
import { listAt, textAt, valueAt } from '../values/fields.js';
import { type ParisDay, parisDay, parisTime } from '../values/paris.js';
import { type Company, type CompanyRegister, createCompanyRegister } from './companies.js';
import { type PublishingErrorCode, REFUSED_OFFER_IDS } from './publishing-errors.js';
import { type Located, located, type OfferWrite, type StoredOffer, storedOffer } from './stored-offer.js';

/** A likely recruiter, with the fields that the search needs. */
export interface Recruiter extends Located {
  readonly record: Json;
  readonly romes: readonly string[];
}

/** The publishing state of an offer, with the reason for a refusal. */
export type Publishing =
  | { readonly status: 'PUBLISHED' | 'WILL_BE_PUBLISHED' }
  | { readonly status: 'WILL_NOT_BE_PUBLISHED'; readonly code: PublishingErrorCode };

/** A checked write, with its caller and time. */
export interface WriteOrder {
  readonly write: OfferWrite;
  readonly organisation: string;
  readonly era: Era;
  readonly now: number;
  /** The offer to replace; absent for one that is created or upserted. */
  readonly id?: string;
}

/** The processing job runs every ten minutes, from the full hour on (work-study 7.3). */
const PROCESSING_MS = 10 * 60_000;

interface Pending extends WriteOrder {
  readonly id: string;
  /** Set once processing has refused it. */
  readonly code?: PublishingErrorCode;
}

/**
 * The offers of the service: the world's, and those that clients wrote, once processed. Nothing runs in the background:
 * each read or write first does what the job would have done by then.
 */
export class OfferStore {
  readonly #world: World;
  readonly #register: CompanyRegister;
  readonly #romesOfTitle: (title: string) => readonly string[];
  /** Published offers by id; read from the world at first use, so that startup does not need them. */
  #store: Map<string, StoredOffer> | undefined;
  #list: readonly StoredOffer[] | undefined;
  readonly #pending = new Map<string, Pending>();
  #written = 0;

  constructor(world: World, communesOf: CommuneSearch) {
    this.#world = world;
    this.#register = createCompanyRegister(world, communesOf);
    this.#romesOfTitle = createTitleReader(world);
  }

  /** Every offer of the store, as processed by this time. */
  published(now: number): readonly StoredOffer[] {
    this.#settle(now);
    this.#list ??= [...this.#offers.values()];
    return this.#list;
  }

  get(id: string, now: number): StoredOffer | undefined {
    this.#settle(now);
    return this.#offers.get(id);
  }

  get recruiters(): readonly Recruiter[] {
    return recruitersOf(this.#world);
  }

  /** Publishing state of an offer (work-study 7.3); undefined for one that was never sent. */
  publishing(id: string, now: number): Publishing | undefined {
    this.#settle(now);
    const order = this.#pending.get(id);
    if (order?.code !== undefined) return { status: 'WILL_NOT_BE_PUBLISHED', code: order.code };
    if (order !== undefined) return { status: 'WILL_BE_PUBLISHED' };
    if (this.#offers.has(id)) return { status: 'PUBLISHED' };
    const code = REFUSED_OFFER_IDS.get(id);
    return code === undefined ? undefined : { status: 'WILL_NOT_BE_PUBLISHED', code };
  }

  /** Accepts an offer for processing and returns its id. */
  write(order: WriteOrder): string {
    this.#settle(order.now);
    const id = order.id ?? this.#knownId(order) ?? this.#newId();
    this.#pending.set(id, { ...order, id });
    return id;
  }

  /** Cancels an offer immediately, as too many applications do (work-study 4.3). */
  cancel(id: string): void {
    const offer = this.#offers.get(id);
    if (offer === undefined) return;
    const details = offer.record['offer'];
    const cancelled = { ...offer.record, offer: { ...(isRecord(details) && details), status: 'Cancelled' } };
    this.#put(storedOffer(cancelled, offer));
  }

  /** Discards what clients wrote. */
  reset(): void {
    this.#store = undefined;
    this.#list = undefined;
    this.#pending.clear();
    this.#written = 0;
  }

  get #offers(): Map<string, StoredOffer> {
    this.#store ??= new Map(offersOf(this.#world).map((offer) => [offer.id, offer]));
    return this.#store;
  }

  #put(offer: StoredOffer): void {
    this.#offers.set(offer.id, offer);
    this.#list = undefined;
  }

  #newId(): string {
    this.#written += 1;
    return `5a${String(this.#written).padStart(22, '0')}`;
  }

  /** The organisation's own offer with this partner id, published or not, which is overwritten (work-study 7.4). */
  #knownId({ write: { partnerJobId }, organisation }: WriteOrder): string | undefined {
    if (partnerJobId === null) return undefined;
    for (const { id, write, organisation: owner } of this.#pending.values()) {
      if (owner === organisation && write.partnerJobId === partnerJobId) return id;
    }
    for (const offer of this.#offers.values()) {
      if (offer.label === organisation && offer.partnerJobId === partnerJobId) return offer.id;
    }
    return undefined;
  }

  /** Processes what was written before the last run of the job. */
  #settle(now: number): void {
    const tick = Math.floor(now / PROCESSING_MS) * PROCESSING_MS;
    for (const order of this.#pending.values()) {
      if (order.code === undefined && order.now < tick) this.#process(order, tick);
    }
  }

  #process(order: Pending, tick: number): void {
    const processing = { tick, world: this.#world, offers: this.#offers.values(), geocode: this.#register.geocode };
    const code = refusalOf(order, processing);
    if (code !== undefined) {
      this.#pending.set(order.id, { ...order, code });
      return;
    }
    this.#pending.delete(order.id);
    const { multicast } = order.write.offer;
    this.#put(
      storedOffer(this.#record(order), { multicast, customName: order.write.workplace.name, publishedAt: tick }),
    );
  }

  #record({ id, write, organisation, era, now }: Pending): Json {
    const { offer, workplace } = write;
    const company = this.#register.company(workplace.siret);
    const before = this.#offers.get(id)?.record;
    const datesBefore = valueAt(before, 'offer', 'publication');
    return buildOffer(write, {
      id,
      organisation,
      company,
      geopoint: workplace.address === null ? company.geopoint : this.#register.geocode(workplace.address),
      // Today ROME codes are always deduced, even if they were sent (work-study 7.4).
      romeCodes: (era === 'seed' ? offer.romeCodes : null) ?? this.#romesOfTitle(offer.title),
      creation: utc(offer.creation) ?? textAt(datesBefore, 'creation') ?? new Date(now).toISOString(),
      expiration: utc(offer.expiration) ?? textAt(datesBefore, 'expiration') ?? defaultExpiration(now),
    });
  }
}

const offersOf = perWorld(({ offers, customNames }): readonly StoredOffer[] =>
  offers.map((record) => {
    const id = textAt(record, 'identifier', 'id') ?? '';
    return storedOffer(record, { customName: customNames.get(id) ?? null });
  }),
);

/** A recruiter's ROME codes follow from its activity: they are those of the offers with the same NAF code. */
const recruitersOf = perWorld((world): readonly Recruiter[] => {
  const romesOfNaf = new Map<string, Set<string>>();
  for (const { record, romes: ofOffer } of offersOf(world)) {
    const naf = textAt(record, 'workplace', 'domain', 'naf', 'code');
    if (naf === null) continue;
    const romes = romesOfNaf.get(naf) ?? new Set();
    romesOfNaf.set(naf, romes);
    for (const rome of ofOffer) romes.add(rome);
  }
  return world.recruiters.map((record) => {
    const naf = textAt(record, 'workplace', 'domain', 'naf', 'code') ?? '';
    return { ...located(record), record, romes: [...(romesOfNaf.get(naf) ?? [])] };
  });
});

/** Labels of diploma levels (work-study 8.3). */
const DIPLOMAS: Readonly<Record<string, string>> = {
  '3': 'CAP, BEP (Infrabac)',
  '4': 'Bac, Bac Pro, BP (Bac)',
  '5': 'BTS, DEUST (Bac+2)',
  '6': 'Licence, BUT, Licence Pro (Bac+3)',
  '7': 'Master, titre ingénieur, grande école (Bac+5)',
};

/** The parts of a record that were not written by the client. */
export interface OfferOrigin {
  readonly id: string;
  readonly organisation: string;
  readonly company: Company;
  /** Point of the custom address, or else of the company. */
  readonly geopoint: unknown;
  readonly romeCodes: readonly string[];
  /** Dates of the record: an update keeps those that it omits (work-study 7.5). */
  readonly creation: string;
  readonly expiration: string;
}

/** The JobOfferRead of a written offer, as the processing job stores it. */
function buildOffer(write: OfferWrite, origin: OfferOrigin): Json {
  const { company, id } = origin;
  const { offer, contract, apply } = write;
  return {
    identifier: { id, partner_job_id: write.partnerJobId ?? id, partner_label: origin.organisation },
    workplace: {
      // When read back, the custom name is the last choice (work-study 8.4).
      name: company.legalName ?? company.brand ?? write.workplace.name,
      description: write.workplace.description === null ? null : limitHtml(write.workplace.description),
      website: write.workplace.website,
      siret: write.workplace.siret,
      location: { address: write.workplace.address ?? company.address, geopoint: origin.geopoint },
      brand: company.brand,
      legal_name: company.legalName,
      size: company.size,
      domain: company.domain,
    },
    apply: {
      phone: apply.phone,
      // Never null: the public page of the offer replaces a missing address (work-study 8.4).
      url: apply.url ?? `https://emplois.example/emploi/partners/${id}`,
      recipient_id: apply.email === null ? null : `partners_${id}`,
    },
    contract: { start: utc(contract.start), duration: contract.duration, type: contract.type, remote: contract.remote },
    offer: {
      title: offer.title,
      desired_skills: offer.desiredSkills,
      to_be_acquired_skills: offer.toBeAcquiredSkills,
      access_conditions: offer.accessConditions,
      opening_count: offer.openingCount,
      publication: { creation: origin.creation, expiration: origin.expiration },
      rome_codes: origin.romeCodes,
      description: limitHtml(offer.description),
      target_diploma: offer.level === null ? null : { european: offer.level, label: DIPLOMAS[offer.level] },
      status: offer.status,
    },
    is_delegated: false,
  };
}

/** Two months after a moment, at the start of the day in Paris (work-study 7.4). */
function defaultExpiration(now: number): string {
  const { year, month, day }: ParisDay = parisDay(now);
  return new Date(parisTime({ year, month: month + 2, day }, 0)).toISOString();
}

/** A date-time in UTC, the form of all job data (work-study 1, fact 10). */
function utc(text: string | null): string | null {
  return text === null ? null : new Date(text).toISOString();
}

const ALLOWED_TAGS = new Set(['b', 'i', 'em', 'strong', 'p', 'br', 'ul', 'li']);

/** Removes all tags but the allowed ones, and every attribute (work-study 12.2.11). */
function limitHtml(text: string): string {
  const withoutCode = text.replace(/<(script|style)\b[^>]*>.*?<\/\1\s*>/gis, '');
  return withoutCode.replace(/<(\/?)([a-z][a-z0-9]*)\b[^>]*>/gi, (_, slash: string, name: string) =>
    ALLOWED_TAGS.has(name.toLowerCase()) ? `<${slash}${name.toLowerCase()}>` : '',
  );
}

/** One run of the processing job. */
export interface Processing {
  /** When the processing job runs. */
  readonly tick: number;
  readonly world: World;
  readonly offers: Iterable<StoredOffer>;
  readonly geocode: (address: string) => unknown;
}

/** Why processing does not publish an offer, as a code of work-study 7.3; undefined if it does. */
function refusalOf(
  { write, id }: WriteOrder,
  { tick, world, offers, geocode }: Processing,
): PublishingErrorCode | undefined {
  const { offer, workplace } = write;
  const centre = world.organismes.find((one) => textAt(one, 'identifiant', 'siret') === workplace.siret);
  if (centre !== undefined) {
    return valueAt(centre, 'etablissement', 'ouvert') === true ? 'CFA' : 'CLOSED_COMPANY';
  }
  if (offer.expiration !== null && Date.parse(offer.expiration) <= tick) return 'EXPIRED';
  if (/\bstag(?:e|iaire)s?\b/i.test(offer.title)) return 'STAGE';
  if (/\btemps plein\b/i.test(offer.title)) return 'FULL_TIME';
  for (const other of offers) if (isSameOffer(other, id, workplace.siret, offer.title)) return 'DUPLICATE';
  if (workplace.address !== null && geocode(workplace.address) === undefined) return 'GEOLOCATION_NOT_FOUND';
  return undefined;
}

function isSameOffer(other: StoredOffer, id: string | undefined, siret: string, title: string): boolean {
  return (
    other.id !== id &&
    other.status === 'Active' &&
    other.siret === siret &&
    other.title.toLowerCase() === title.toLowerCase()
  );
}

/** Secretarial work, for a title that resembles none of the world's. */
const FALLBACK = ['M1602'];

/** Deduces ROME codes from a title: those of the world's offer whose title shares the most words with it. */
function createTitleReader(world: World): (title: string) => readonly string[] {
  return (title) => {
    const titleWords = wordsOf(title);
    let best = { shared: 0, codes: FALLBACK as readonly string[] };
    for (const { words, codes } of titlesOf(world)) {
      const shared = [...titleWords].filter((word) => words.has(word)).length;
      if (shared > best.shared && codes.length > 0) best = { shared, codes };
    }
    return best.codes;
  };
}

const titlesOf = perWorld(({ offers }) =>
  offers.map((offer) => ({
    words: wordsOf(textAt(offer, 'offer', 'title') ?? ''),
    codes: listAt(offer, 'offer', 'rome_codes').filter((code) => typeof code === 'string'),
  })),
);

function wordsOf(title: string): Set<string> {
  const words = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z]+/);
  return new Set(words.filter((word) => word.length > 3));
}
