import type { Era } from '../../server/types.js';
import { perWorld } from '../../world/per-world.js';
import type { World } from '../../world/types.js';
import { parisDay, parisTime } from '../values/paris.js';
import { isStoredIn, offerIn } from './eras.js';
import { hugeExportRows } from './huge-export.js';
import type { OfferStore, Recruiter } from './offer-store.js';
import { recruiterAsOffer } from './read-routes.js';
import { OWN_OFFERS, type StoredOffer } from './stored-offer.js';

/** The daily file of all offers. */
export interface ExportFile {
  /** When the file was last rebuilt, UTC. */
  lastUpdate(now: number): string;
  /** The file's bytes: a flat array of JobOfferRead (work-study 7.6). */
  pieces(now: number): Iterable<Uint8Array>;
  /** Rebuilds the file as of a given moment, with what is published by then. */
  rebuild(at: number): void;
  /** Fills the file with this many invented offers and no others; null restores the real rows. */
  useHuge(offers: number | null): void;
  reset(): void;
}

/** Hour of the daily rebuild, in Paris (work-study 7.6). */
const REBUILT_AT = 3;
const DAY_MS = 24 * 60 * 60_000;

/** Creates the daily export of a world's offer store. */
export function createExportFile(world: World, store: OfferStore, era: () => Era): ExportFile {
  let rebuiltAt = 0;
  let huge: number | null = null;
  const builtAt = (now: number): number => Math.max(rebuiltAt, lastNight(now));
  return {
    lastUpdate: (now) => new Date(builtAt(now)).toISOString(),
    pieces: (now) =>
      huge === null ? storedPieces(world, era(), rows(store, era(), builtAt(now))) : jsonArray(hugeRows(huge)),
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

type Row = StoredOffer | Recruiter;

/** Own offers first and likely recruiters last, in one array, not filtered by expiry (work-study 7.6). */
function rows(store: OfferStore, era: Era, builtAt: number): readonly Row[] {
  const offers = store
    .published(builtAt)
    .filter((offer) => offer.status === 'Active' && offer.multicast && offer.publishedAt <= builtAt)
    .filter((offer) => isStoredIn(era, offer));
  const own = offers.filter(({ label }) => label === OWN_OFFERS);
  const others = offers.filter(({ label }) => label !== OWN_OFFERS);
  return [...own, ...others, ...store.recruiters];
}

function* hugeRows(offers: number): Iterable<string> {
  for (const row of hugeExportRows(offers)) yield JSON.stringify(row);
}

/** A file and the rows it was written from. */
interface StoredFile {
  readonly rows: readonly Row[];
  readonly pieces: readonly Uint8Array[];
}

/** The last file of each era: the sandboxes of one process serve the same world, and mostly the same offers. */
const storedFiles = perWorld((): Map<Era, StoredFile> => new Map());

function* storedPieces(world: World, era: Era, rows: readonly Row[]): Iterable<Uint8Array> {
  const files = storedFiles(world);
  const stored = files.get(era);
  if (stored?.rows.length === rows.length && stored.rows.every((row, index) => row === rows[index])) {
    yield* stored.pieces;
    return;
  }
  const pieces: Uint8Array[] = [];
  for (const piece of jsonArray(textsOf(rows, era))) {
    pieces.push(piece);
    yield piece;
  }
  files.set(era, { rows, pieces });
}

function* textsOf(rows: readonly Row[], era: Era): Iterable<string> {
  for (const row of rows) yield JSON.stringify('label' in row ? offerIn(era, row) : recruiterAsOffer(row, era));
}

function* jsonArray(rows: Iterable<string>): Iterable<Uint8Array> {
  let text = '[\n';
  let separator = '';
  for (const row of rows) {
    text += separator + row;
    separator = ',\n';
    // Pieces the size of a disk read: a call per row would cost more than the row.
    if (text.length >= 64 * 1024) {
      yield Buffer.from(text);
      text = '';
    }
  }
  yield Buffer.from(`${text}\n]`);
}

function lastNight(now: number): number {
  const today = parisTime(parisDay(now), REBUILT_AT);
  return today <= now ? today : parisTime(parisDay(now - DAY_MS), REBUILT_AT);
}
