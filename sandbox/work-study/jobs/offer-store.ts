import { isRecord } from '../../server/is-record.js';
import type { Era } from '../../server/types.js';
import { perWorld } from '../../world/per-world.js';
import type { Json, World } from '../../world/types.js';
import type { CommuneSearch } from '../reference/commune-search.js';
import { textAt, valueAt } from '../values/fields.js';
import { type CompanyRegister, createCompanyRegister } from './companies.js';
import { buildOffer, defaultExpiration, utc } from './offer-build.js';
import type { OfferWrite } from './offer-write.js';
import { type PublishingErrorCode, REFUSED_OFFER_IDS } from './publishing-errors.js';
import { refusalOf } from './refusals.js';
import { createTitleReader } from './rome-of-title.js';
import { type Located, located, type StoredOffer, storedOffer } from './stored-offer.js';

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
