import { createRequire } from 'node:module';
import type { Json } from '../../../sandbox/world/types.js';
import { matchWorkplaceCommune } from '../../../subgraphs/work-study/communes/match-commune.js';

/** A plain scan of an export, one row after the other. Of the product it uses only the matcher of communes. */

/** A question, with the filters of `exportedOffers` or `exportedRecruiters`. */
export interface Asked {
  readonly of: 'exportedOffers' | 'exportedRecruiters';
  // Arguments of a generated question.
  // biome-ignore lint/suspicious/noExplicitAny: see above
  readonly args: Record<string, any>;
  readonly orderBy?: { readonly field: string; readonly direction: string } | null;
}

/** What a scan needs to know of a département. */
export interface Area {
  readonly code: string;
  readonly region?: string;
}

const EPCIS: readonly { readonly code: string; readonly membres: readonly { readonly code: string }[] }[] =
  createRequire(import.meta.url)('@etalab/decoupage-administratif/data/epci.json');
/** From the INSEE code of a commune to its EPCI. */
const epciOf = new Map(EPCIS.flatMap(({ code, membres }) => membres.map((member) => [member.code, code] as const)));

// biome-ignore lint/suspicious/noExplicitAny: rows as the service writes them
type Row = any;

/** Rows that match, in the order asked for, with their kilometres. */
export interface Scanned {
  readonly row: Row;
  readonly place: number;
  readonly km: number | null;
}

/** Scans rows for a question. */
export function scan(rows: readonly Json[], asked: Asked, areas: readonly Area[], nowMs: number): Scanned[] {
  const near = asked.args['near']?.position;
  const matching = rows
    .map((row: Row, place): Scanned => ({ row, place, km: near ? kmBetween(near, row) : null }))
    .filter(({ row, km }) => matches(row, asked, areas, nowMs) && (!near || km !== null));
  const radius = radiusOf(asked, matching);
  const found = matching.filter(({ km }) => radius === null || (km ?? 0) <= radius);
  const field = asked.orderBy?.field ?? (near ? 'DISTANCE' : 'CREATION');
  const key = keyOf(field);
  found.sort((one, other) => compare(key(one), key(other)) || one.place - other.place);
  const isUsual = !asked.orderBy || (asked.orderBy.direction === 'DESC') === (field === 'CREATION');
  return isUsual ? found : found.reverse();
}

/** The radius asked for, or the whole metres of `atLeast` rows; null without a point. */
export function radiusOf({ args }: Asked, matching: readonly Scanned[]): number | null {
  const { near, radius = 30, atLeast } = args;
  if (!near) return null;
  const nearest = matching.map(({ km }) => km ?? 0).sort((one, other) => one - other);
  const metres = atLeast === undefined ? 0 : Math.ceil(1000 * (nearest[atLeast - 1] ?? 200));
  return Math.max(radius, Math.min(200, metres / 1000));
}

function matches(row: Row, { of, args }: Asked, areas: readonly Area[], nowMs: number): boolean {
  const isRecruiter = ['recruteurs_lba', 'recruteurs_svc'].includes(row.identifier?.partner_label) || !row.offer;
  if (isRecruiter !== (of === 'exportedRecruiters')) return false;
  const { offer = {}, contract = {}, workplace = {} } = row;
  const insee = communeOf(row);
  const department = insee === null ? null : departmentOf(insee);
  const region = areas.find(({ code }) => code === department)?.region ?? department;
  const any = (wanted: string[] | undefined, has: (one: string) => boolean) => !wanted || wanted.some(has);
  const time = (text: unknown) => (typeof text === 'string' ? Date.parse(text) : Number.NaN);
  const within = (moment: number, { after, before }: { after?: string; before?: string } = {}) =>
    (!after || moment > Date.parse(after)) && (!before || moment < Date.parse(before));
  if (of === 'exportedOffers') {
    if (!any(args['status'] ?? ['ACTIVE'], (one) => one === String(offer.status).toUpperCase())) return false;
    if (!args['includeExpired'] && time(offer.publication?.expiration) <= nowMs) return false;
  }
  return (
    any(args['insee'], (one) => one === insee) &&
    any(args['epci'], (one) => one === epciOf.get(insee ?? '')) &&
    any(args['department'], (one) => one === department) &&
    any(args['region'], (one) => one === region) &&
    any(args['siret'], (one) => one === workplace.siret) &&
    any(args['rome'], (one) => (offer.rome_codes ?? []).some((code: string) => code?.startsWith(one))) &&
    any(args['naf'], (one) => (workplace.domain?.naf?.code ?? '').startsWith(one)) &&
    any(args['opco'], (one) => one === workplace.domain?.opco) &&
    any(args['size'], (one) => one === workplace.size) &&
    any(args['partner'], (one) => one === row.identifier.partner_label) &&
    !args['partnerNot']?.includes(row.identifier.partner_label) &&
    any(args['diploma'], (one) => one === `LEVEL_${offer.target_diploma?.european}`) &&
    any(args['contractType'], (one) => (contract.type ?? []).some((type: string) => type.toUpperCase() === one)) &&
    any(args['remote'], (one) => one === String(contract.remote).toUpperCase()) &&
    (args['delegated'] === undefined || args['delegated'] === (row.is_delegated ?? false)) &&
    within(time(offer.publication?.creation), args['created']) &&
    within(time(contract.start), args['start']) &&
    hasWords(row, isRecruiter, args['text'])
  );
}

const communes = new WeakMap<object, string | null>();

/** INSEE code of the commune of a row's workplace, matched once. */
function communeOf({ workplace }: Row): string | null {
  const known = communes.get(workplace);
  if (known !== undefined) return known;
  const insee = matchWorkplaceCommune(workplace.location?.geopoint?.coordinates, workplace.location?.address);
  communes.set(workplace, insee);
  return insee;
}

function departmentOf(insee: string): string {
  return /^9[78]/.test(insee) ? insee.slice(0, 3) : insee.slice(0, 2);
}

function hasWords({ offer = {}, workplace }: Row, isRecruiter: boolean, text: string | undefined): boolean {
  if (text === undefined) return true;
  const own = isRecruiter ? [] : [offer.title, offer.description];
  const texts = [...own, workplace.name, workplace.brand, workplace.legal_name, workplace.description];
  const words = texts.flatMap((one) => folded(one).split(' '));
  const wanted = folded(text).split(' ');
  return wanted.every((word, place) =>
    place === wanted.length - 1 ? words.some((one) => one.startsWith(word)) : words.includes(word),
  );
}

/** Words without accents, in small letters, with a space between them. */
function folded(text: unknown): string {
  if (typeof text !== 'string') return '';
  const plain = text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('œ', 'oe').replaceAll('æ', 'ae');
  return plain.replace(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

/** Kilometres by the haversine formula; null without a position. */
function kmBetween(near: { latitude: number; longitude: number }, { workplace }: Row): number | null {
  const [lon, lat] = workplace.location?.geopoint?.coordinates ?? [];
  if (typeof lon !== 'number' || typeof lat !== 'number' || (lon === 0 && lat === 0)) return null;
  const radians = (degrees: number) => (degrees * Math.PI) / 180;
  const sine = (from: number, to: number) => Math.sin(radians(to - from) / 2) ** 2;
  const parts =
    sine(near.latitude, lat) + Math.cos(radians(near.latitude)) * Math.cos(radians(lat)) * sine(near.longitude, lon);
  return 2 * 6371 * Math.asin(Math.sqrt(parts));
}

function keyOf(orderBy: string): (one: Scanned) => number | string | null {
  const time = (text: unknown) => (typeof text === 'string' ? Date.parse(text) : null);
  switch (orderBy) {
    case 'DISTANCE':
      // A thousandth of a millimetre: equal positions are equal however their distance is computed.
      return ({ km }) => Math.round((km ?? 0) * 1e9) / 1e9;
    case 'START':
      return ({ row }) => time(row.contract?.start);
    case 'TITLE':
      return ({ row }) =>
        ['recruteurs_lba', 'recruteurs_svc'].includes(row.offer?.title) ? null : folded(row.offer?.title) || null;
    case 'WORKPLACE':
      return ({ row }) => folded(row.workplace.name) || null;
    default:
      return ({ row }) => {
        const created = time(row.offer?.publication?.creation);
        return created === null ? null : -created;
      };
  }
}

function compare(one: number | string | null, other: number | string | null): number {
  if (one === other) return 0;
  if (one === null) return 1;
  if (other === null) return -1;
  return one < other ? -1 : 1;
}

/** Counts of scanned rows by keys, the largest first, among equals by key with none first. */
export function countsBy(found: readonly Scanned[], by: readonly string[], areas: readonly Area[]) {
  const counts = new Map<string, number>();
  for (const { row } of found) {
    const keys = by.map((one) => keysOf(row, one, areas));
    for (const first of keys[0] ?? []) {
      for (const second of keys[1] ?? [undefined]) {
        const key = JSON.stringify(second === undefined ? [first] : [first, second]);
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    }
  }
  const unknownFirst = (key: string) => (JSON.parse(key) as (string | null)[]).map((one) => one ?? '');
  const groups = [...counts].map(([key, count]) => ({
    key: JSON.parse(key) as (string | null)[],
    count,
    sort: unknownFirst(key),
  }));
  return groups.sort((one, other) => other.count - one.count || compare(one.sort.join('\0'), other.sort.join('\0')));
}

function keysOf(row: Row, by: string, areas: readonly Area[]): (string | null)[] {
  const insee = communeOf(row);
  const department = insee === null ? null : departmentOf(insee);
  const known = (word: string, words: string[]) => (words.includes(word) ? word : 'OTHER');
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? [value] : [null]);
  const list = (values: string[] | null | undefined) => (values && values.length > 0 ? [...new Set(values)] : [null]);
  switch (by) {
    case 'DEPARTMENT':
      return text(department);
    case 'REGION':
      return text(areas.find(({ code }) => code === department)?.region ?? department);
    case 'COMMUNE':
      return text(insee);
    case 'EPCI':
      return text(epciOf.get(insee ?? ''));
    case 'ROME':
      return list(row.offer?.rome_codes);
    case 'NAF':
      return text(row.workplace.domain?.naf?.code);
    case 'OPCO':
      return text(row.workplace.domain?.opco);
    case 'DIPLOMA':
      return row.offer?.target_diploma?.european ? [`LEVEL_${row.offer.target_diploma.european}`] : [null];
    case 'CONTRACT':
      return list(
        row.contract?.type?.map((type: string) => known(type.toUpperCase(), ['APPRENTISSAGE', 'PROFESSIONNALISATION'])),
      );
    case 'PARTNER':
      return text(row.identifier.partner_label);
    case 'REMOTE':
      return list(row.contract?.remote && [known(row.contract.remote.toUpperCase(), ['ONSITE', 'REMOTE', 'HYBRID'])]);
    case 'MONTH':
      return text(row.offer?.publication?.creation?.slice(0, 7));
    default:
      return text(row.workplace.siret);
  }
}
