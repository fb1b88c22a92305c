import type { Era } from '../../server/types.js';
import { parisDay, parisTime } from '../values/paris.js';
import { isStoredIn, offerIn } from './eras.js';
import { hugeExportRows } from './huge-export.js';
import type { OfferStore } from './offer-store.js';
import { recruiterAsOffer } from './read-routes.js';
import { OWN_OFFERS, type StoredOffer } from './stored-offer.js';

/** The file of all offers that is rebuilt every day. */
export interface ExportFile {
  /** When the file was last rebuilt, UTC. */
  lastUpdate(now: number): string;
  /** The file's text: a flat array of JobOfferRead (work-study 7.6). */
  pieces(now: number): Iterable<string>;
  /** Rebuilds the file now, or as of a given moment, with what is published by then. */
  rebuild(at: number): void;
  /** Gives the file this many invented offers and no others; null restores the real rows. */
  useHuge(offers: number | null): void;
  reset(): void;
}

/** Hour of the daily rebuilding, in Paris (work-study 7.6). */
const REBUILT_AT = 3;
const DAY_MS = 24 * 60 * 60_000;

/** Creates the daily export of an offer store. */
export function createExportFile(store: OfferStore, era: () => Era): ExportFile {
  let rebuiltAt = 0;
  let huge: number | null = null;
  const builtAt = (now: number): number => Math.max(rebuiltAt, lastNight(now));
  return {
    lastUpdate: (now) => new Date(builtAt(now)).toISOString(),
    pieces: (now) => jsonArray(huge === null ? rows(store, era(), builtAt(now)) : hugeRows(huge)),
    rebuild(at) {
      rebuiltAt = at;
    },
    useHuge(offers) {
      huge = offers;
    },
    reset() {
      rebuiltAt = 0;
      huge = null;
    },
  };
}

/** Own offers first, likely recruiters in the same array, no filter by expiry (work-study 7.6). */
function* rows(store: OfferStore, era: Era, builtAt: number): Iterable<string> {
  const offers = store
    .published(builtAt)
    .filter((offer) => offer.status === 'Active' && offer.multicast && offer.publishedAt <= builtAt)
    .filter((offer) => isStoredIn(era, offer));
  const texts = TEXTS[era];
  const textOf = (offer: StoredOffer) => once(texts, offer, () => offerIn(era, offer));
  for (const offer of offers) if (offer.label === OWN_OFFERS) yield textOf(offer);
  for (const offer of offers) if (offer.label !== OWN_OFFERS) yield textOf(offer);
  for (const recruiter of store.recruiters) yield once(texts, recruiter, () => recruiterAsOffer(recruiter, era));
}

function* hugeRows(offers: number): Iterable<string> {
  for (const row of hugeExportRows(offers)) yield JSON.stringify(row);
}

/** A row's text is written once: sandboxes of one process serve the same world. */
const TEXTS: Readonly<Record<Era, WeakMap<object, string>>> = { today: new WeakMap(), seed: new WeakMap() };

function once(texts: WeakMap<object, string>, record: object, row: () => unknown): string {
  const text = texts.get(record) ?? JSON.stringify(row());
  texts.set(record, text);
  return text;
}

function* jsonArray(rows: Iterable<string>): Iterable<string> {
  let text = '[\n';
  let separator = '';
  for (const row of rows) {
    text += separator + row;
    separator = ',\n';
    // Pieces of the size of a disk read: one call a row would cost more than the row.
    if (text.length >= 64 * 1024) {
      yield text;
      text = '';
    }
  }
  yield `${text}\n]`;
}

function lastNight(now: number): number {
  const today = parisTime(parisDay(now), REBUILT_AT);
  return today <= now ? today : parisTime(parisDay(now - DAY_MS), REBUILT_AT);
}
