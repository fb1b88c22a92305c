import { createHmac } from 'node:crypto';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, queryOf } from '../../server/call.js';
import type { Era } from '../../server/types.js';
import { numberedSiret } from '../../world/identifiers.js';
import { perWorld } from '../../world/per-world.js';
import { at } from '../../world/random.js';
import { isRecord, type World } from '../../world/types.js';
import { keyedRoute, takesAnything } from '../http/route.js';
import { parisDay, parisTime } from '../values/paris.js';
import { isStoredIn, offerIn } from './eras.js';
import type { OfferStore, Recruiter } from './offer-store.js';
import { recruiterAsOffer } from './read-routes.js';
import { OWN_OFFERS, type StoredOffer } from './stored-offer.js';

const STORAGE_PATH = '/storage/exports/offers.json';
/** Validity of a link, in seconds (work-study 12.2.10, 12.8.3). */
const LINK_SECONDS = 120;

/** The daily export: its link, and the file store that the link leads to, on the same host here (work-study 7.6). */
export function exportRoutes(app: FastifyInstance, file: ExportFile): void {
  keyedRoute(app, {
    method: 'GET',
    path: '/job/v1/export',
    read: takesAnything,
    handle: (_, { host, now }) => ({ url: signedLink(host, now), lastUpdate: file.lastUpdate(now) }),
  });
  app.get(STORAGE_PATH, (request, reply) => download(file, request, reply));
}

/** An address in the form of a signed S3 link, which needs no key and accepts none. */
function signedLink(host: string, now: number): string {
  const date = amzDate(now);
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Content-Sha256': 'UNSIGNED-PAYLOAD',
    'X-Amz-Credential': `sandbox/${date.slice(0, 8)}/gra/s3/aws4_request`,
    'X-Amz-Date': date,
    'X-Amz-Expires': String(LINK_SECONDS),
    'X-Amz-Signature': signature(date),
    'X-Amz-SignedHeaders': 'host',
  });
  return `http://${host}${STORAGE_PATH}?${query}`;
}

function download(file: ExportFile, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (request.headers.authorization !== undefined) {
    return refuse(reply, 400, 'InvalidArgument', 'Only one auth mechanism allowed');
  }
  const { now } = callOf(request);
  const query = queryOf(request);
  const date = String(query['X-Amz-Date']);
  if (query['X-Amz-Signature'] !== signature(date)) {
    return refuse(reply, 403, 'SignatureDoesNotMatch', 'The request signature does not match');
  }
  if (now >= timeOf(date) + LINK_SECONDS * 1000) {
    return refuse(reply, 403, 'AccessDenied', 'Request has expired');
  }
  reply.headers({
    'content-type': 'application/json',
    'cache-control': 'no-cache, no-store, must-revalidate',
    'last-modified': new Date(file.lastUpdate(now)).toUTCString(),
  });
  return reply.send(Readable.from(file.pieces(now), { objectMode: false }));
}

function refuse(reply: FastifyReply, status: number, code: string, message: string): FastifyReply {
  const xml = `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
  return reply.code(status).type('application/xml').send(xml);
}

function signature(date: string): string {
  return createHmac('sha256', 'sandbox-export').update(date).digest('hex');
}

/** `20260901T080000Z`: signed links have a precision of seconds. */
function amzDate(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d+/, '').replaceAll(/[-:]/g, '');
}

function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

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
  /** Has each offer of a number that is a multiple of this once more, as another partner writes it; null has none. */
  repeatOffers(every: number | null): void;
  reset(): void;
}

/** Hour of the daily rebuild, in Paris (work-study 7.6). */
const REBUILT_AT = 3;
const DAY_MS = 24 * 60 * 60_000;

/** Creates the daily export of a world's offer store. */
export function createExportFile(world: World, store: OfferStore, era: () => Era): ExportFile {
  let rebuiltAt = 0;
  let huge: number | null = null;
  let every: number | null = null;
  const builtAt = (now: number): number => Math.max(rebuiltAt, lastNight(now));
  return {
    lastUpdate: (now) => new Date(builtAt(now)).toISOString(),
    pieces(now) {
      if (huge !== null) return jsonArray(hugeRows(huge));
      const stored = rows(store, era(), builtAt(now));
      if (world.exported !== undefined) return jsonArray(textsOfCopies(stored, era(), world.exported));
      if (every === null) return storedPieces(world, era(), stored);
      return jsonArray([...textsOf(stored, era()), ...textsOfRepeats(stored, era(), every)]);
    },
    rebuild(at) {
      rebuiltAt = at;
    },
    useHuge(offers) {
      huge = offers;
    },
    repeatOffers(multiple) {
      every = multiple;
    },
    reset() {
      rebuiltAt = 0;
      huge = null;
      every = null;
    },
  };
}

type Row = StoredOffer | Recruiter;

/** Partners' offers first and own ones last, in one array, not filtered by expiry (work-study 7.6). */
function rows(store: OfferStore, era: Era, builtAt: number): readonly Row[] {
  const offers = store
    .published(builtAt)
    .filter((offer) => offer.status === 'Active' && offer.multicast && offer.publishedAt <= builtAt)
    .filter((offer) => isStoredIn(era, offer));
  const own = offers.filter(({ label }) => label === OWN_OFFERS);
  const others = offers.filter(({ label }) => label !== OWN_OFFERS);
  return [...others, ...store.recruiters, ...own];
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
  for (const row of rows) yield indented('label' in row ? offerIn(era, row) : recruiterAsOffer(row, era));
}

/** Offers as another partner writes them: with an identifier of its own, a gender mark and a sentence at the end. */
function* textsOfRepeats(rows: readonly Row[], era: Era, every: number): Iterable<string> {
  for (const [place, row] of rows.entries()) {
    if (!('label' in row) || place % every !== 0) continue;
    const offer = offerIn(era, row);
    const details = isRecord(offer['offer']) ? offer['offer'] : {};
    yield indented({
      ...offer,
      identifier: { id: `${row.id.slice(0, -4)}ffff`, partner_job_id: `repeat-${place}`, partner_label: 'Indeed' },
      offer: {
        ...details,
        title: `${String(details['title']).toUpperCase()} (H/F)`,
        description: `${String(details['description'])}\nPostulez sur notre site.`,
      },
    });
  }
}

/**
 * So many rows, in the order of the given ones: these, and copies of them with other identifiers and employers. Copies
 * are in the export alone: searches and routes by id have none of them.
 */
function* textsOfCopies(rows: readonly Row[], era: Era, exported: NonNullable<World['exported']>): Iterable<string> {
  const isOffer = (row: Row) => 'label' in row;
  const offers = rows.filter(isOffer).length;
  const firstRecruiter = rows.findIndex((row) => !isOffer(row));
  const recruiters = rows.length - offers;
  const partners = Math.round((exported.offers * firstRecruiter) / offers);
  const sirets = [...new Set(rows.map(({ siret }) => siret))];
  const employers = new Map(sirets.map((siret, employer) => [siret, employer]));
  const parts = [
    { count: partners, part: rows.slice(0, firstRecruiter) },
    { count: exported.recruiters, part: rows.slice(firstRecruiter, firstRecruiter + recruiters) },
    { count: exported.offers - partners, part: rows.slice(firstRecruiter + recruiters) },
  ];
  for (const { count, part } of parts) {
    const texts = [...textsOf(part, era)];
    for (let place = 0; place < count; place += 1) {
      const { id, siret } = at(part, place % part.length);
      const copy = Math.floor(place / part.length);
      const text = at(texts, place % part.length);
      const employer = copy * 10_000 + (employers.get(siret) ?? 0);
      yield copy === 0 ? text : withIdentifiers(text, { id, siret, copy, employer });
    }
  }
}

function withIdentifiers(
  text: string,
  {
    id,
    siret,
    copy,
    employer,
  }: { readonly id: string; readonly siret: string | null; readonly copy: number; readonly employer: number },
): string {
  const other = text.replaceAll(id, `${id.slice(0, 4)}${(0xe000 + copy).toString(16)}${id.slice(8)}`);
  return siret === null ? other : other.replaceAll(siret, numberedSiret('9', employer));
}

/** An item of a list as `JSON.stringify(list, null, 2)` writes it (work-study 7.6). */
function indented(row: unknown): string {
  return JSON.stringify(row, null, 2).replaceAll(/^/gm, '  ');
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

/**
 * Rows of an export of any length, one at a time, to measure the index of SIRETs: two offers per SIRET, about 3.4 kB
 * each, with accents, escaped quotes, backslashes, nested braces and the text `"siret"` inside descriptions.
 */
function* hugeExportRows(offers: number): Iterable<unknown> {
  for (let i = 0; i < offers; i += 1) yield hugeOffer(i);
}

/** The SIRET of a row, shared by two consecutive rows, with a valid check digit. */
function hugeExportSiret(row: number): string {
  const digits = `${String(100_000_000 + (row >> 1) * 7).padStart(9, '0')}0001`;
  return `${digits}${luhnDigit(digits)}`;
}

const PARAGRAPH =
  'L’équipe « accueil & médiation » cherche une personne rigoureuse ; "siret": "00000000000000" n’est ici que du texte, ' +
  'comme {"workplace": {"siret": null}} ou le chemin C:\\offres\\été. Rémunération selon l’âge, tutorat assuré.\n';

function hugeOffer(row: number): unknown {
  const id = row.toString(16).padStart(24, '0');
  return {
    identifier: {
      id,
      partner_job_id: `grand-${row}`,
      partner_label: row % 3 === 0 ? 'offres_emploi_lba' : 'Hellowork',
    },
    workplace: {
      name: `Établissement n° ${row}`,
      description: row % 5 === 0 ? null : PARAGRAPH.repeat(3),
      website: null,
      siret: row % 97 === 0 ? null : hugeExportSiret(row),
      location: {
        address: `${row % 200} rue de la République ${String(1000 + (row % 94000)).padStart(5, '0')} Saint-Étienne`,
        geopoint: { type: 'Point', coordinates: [2 + (row % 500) / 100, 44 + (row % 400) / 100] },
      },
      brand: null,
      legal_name: `SOCIÉTÉ D'ESSAI "${row}"`,
      size: '10-19',
      domain: { idcc: 1979, opco: 'OPCO 2i', naf: { code: '6201Z', label: 'Programmation informatique' } },
    },
    apply: { phone: null, url: `https://emplois.example/offre/${id}`, recipient_id: `partners_${id}` },
    contract: { start: '2026-10-01T00:00:00.000Z', duration: 12, type: ['Apprentissage'], remote: null },
    offer: {
      title: `Apprenti·e n° ${row}`,
      desired_skills: ['Rigueur', 'Écoute'],
      to_be_acquired_skills: [],
      access_conditions: [],
      opening_count: 1,
      publication: { creation: '2026-08-01T00:00:00.000Z', expiration: '2099-01-01T00:00:00.000Z' },
      rome_codes: ['M1805'],
      description: PARAGRAPH.repeat(10),
      target_diploma: null,
      status: 'Active',
    },
    is_delegated: false,
  };
}

/** The fourteenth digit: of the thirteen before it, the first, third, fifth and so on count double. */
function luhnDigit(digits: string): number {
  const sum = [...digits].reduce((total, digit, i) => {
    const value = i % 2 === 0 ? Number(digit) * 2 : Number(digit);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return (10 - (sum % 10)) % 10;
}
