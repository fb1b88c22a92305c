import type { FastifyReply } from 'fastify';
import { paramsOf, queryOf } from '../server/call.js';
import type { Register } from '../world/register.js';
import type { Json } from '../world/types.js';
import type { Account, AuthorizedRequest } from './accounts.js';
import { type Catalogue, countFacet, type MissionRow, normalise, textOf } from './catalogue.js';
import { isWithin } from './dates.js';
import { type MissionsQuery, readMissionsQuery } from './missions-query.js';
import { greatCircleKm, isInside } from './places.js';
import { type Issue, invalidQuery, QueryReader } from './query-reader.js';
import { sendServerError, sendUnknownMission } from './replies.js';
import type { Thread, Work } from './thread.js';

/** Handles authenticated requests as the service runs today (volunteering 2 to 4). */
export function createHandlersToday(catalogue: Catalogue, thread: Thread) {
  return {
    list: (request: AuthorizedRequest): Promise<object> =>
      missionsReply(request, { catalogue, thread, route: 'list' }, ({ page, total, query }) => ({
        ok: true,
        total,
        data: page.map((row) => missionFor(row, request.account, catalogue)),
        limit: query.limit,
        skip: query.skip,
      })),

    search: (request: AuthorizedRequest): Promise<object> =>
      missionsReply(request, { catalogue, thread, route: 'search' }, ({ page, total, query }) => ({
        ok: true,
        total,
        hits: page.map((row) => hitFor(row, missionFor(row, request.account, catalogue), query.centre)),
        facets: facetsToday(page),
      })),

    /**
     * Missions that are not accepted, are removed or are not shared with the account are unknown (volunteering 3.7).
     */
    async byId({ request, reply, account }: AuthorizedRequest): Promise<object> {
      const id = paramsOf(request)['id'];
      if (id?.includes('\0') === true) return sendServerError(reply);
      const row = catalogue.missionById(id);
      if (!(await isServed(reply, thread, { rows: 1 }))) return reply.hijack();
      if (row === undefined || !row.isPublished || !account.sees(row.record['publisherId']))
        return sendUnknownMission(request, reply);
      return { ok: true, data: missionFor(row, account, catalogue) };
    },

    /** A list without a total since 2026-04-02 (volunteering 4.4). */
    async organizations({ request, reply }: AuthorizedRequest): Promise<object> {
      const query = readOrganizationsQuery(new QueryReader(queryOf(request)));
      if (query === 'thrown') return sendServerError(reply);
      if ('issues' in query) return reply.code(400).send(invalidQuery(query.issues));
      const { page, isFound } = pageOfOrganizations(catalogue, query);
      const work = { rows: page.length, databaseMs: databaseMs(query, isFound) };
      return (await isServed(reply, thread, work)) ? { ok: true, data: page } : reply.hijack();
    },
  };
}

/** Waits until the work is done; whether there is still somebody to reply to. */
async function isServed(reply: FastifyReply, thread: Thread, work: Work): Promise<boolean> {
  return (await thread.serve(work)) && !reply.raw.destroyed;
}

interface Found {
  readonly page: readonly MissionRow[];
  readonly total: number;
  readonly query: MissionsQuery;
}

async function missionsReply(
  { request, reply, account }: AuthorizedRequest,
  {
    catalogue,
    thread,
    route,
  }: { readonly catalogue: Catalogue; readonly thread: Thread; readonly route: 'list' | 'search' },
  body: (found: Found) => object,
): Promise<object> {
  const query = readMissionsQuery(new QueryReader(catalogue.known(queryOf(request))), route);
  if (query === 'thrown') return sendServerError(reply);
  if ('issues' in query) return reply.code(400).send(invalidQuery(query.issues));
  const found = turnEqualStarts(findMissions(catalogue.missions(), query, account), catalogue.turns());
  const start = catalogue.startOf(query.skip);
  const page = found.slice(start, start + query.limit);
  if (!(await isServed(reply, thread, { rows: page.length }))) return reply.hijack();
  return body({ page, total: found.length + catalogue.surplus(), query });
}

/** All rows that the account may see and the query matches, in the order of the given rows (volunteering 2). */
function findMissions(rows: readonly MissionRow[], query: MissionsQuery, account: Account): MissionRow[] {
  return rows.filter((row) => row.isPublished && account.sees(row.record['publisherId']) && matches(row, query));
}

/**
 * The rows, with those of equal `startAt` rotated: the service has no tie-break, so their order is undefined
 * (volunteering 2.4).
 */
function turnEqualStarts(rows: readonly MissionRow[], turns: number): readonly MissionRow[] {
  if (turns === 0) return rows;
  const turned: MissionRow[] = [];
  for (let start = 0; start < rows.length; ) {
    let end = start + 1;
    while (end < rows.length && rows[end]?.startAt === rows[start]?.startAt) end++;
    const cut = start + (turns % (end - start));
    turned.push(...rows.slice(cut, end), ...rows.slice(start, cut));
    start = end;
  }
  return turned;
}

/** The mission as this account receives it, with its own tracking redirect as `applicationUrl` (volunteering 4.1). */
function missionFor({ record, id }: MissionRow, { publisherId }: Account, catalogue: Catalogue): Json {
  const own = {
    startAt: writtenDate(record['startAt']),
    applicationUrl: `${catalogue.baseUrl()}/r/${id}/${publisherId}`,
  };
  const end = catalogue.descriptionEnd;
  const mission =
    end === '' ? { ...record, ...own } : { ...record, description: `${record['description']}${end}`, ...own };
  return catalogue.remoteInParis() && record['remote'] === 'full'
    ? { ...mission, title: `[À distance] ${record['title']}`, ...PARIS }
    : mission;
}

/** A year above 9999, which an import reads from a mistyped one, is sent as null (volunteering 2.4). */
function writtenDate(date: unknown): unknown {
  return typeof date === 'string' && date.startsWith('+') ? null : date;
}

/** The flat address of every remote mission that one partner's account receives (volunteering 4.1). */
const PARIS = {
  postalCode: '75000',
  departmentCode: '75',
  departmentName: 'Paris',
  city: 'Paris',
  country: 'FR',
  location: { lat: 48.854744, lon: 2.348715 },
};

/**
 * A search hit. `_distance` is measured to the first address only, and omitted if that has no coordinates or the search
 * has no centre (volunteering 3.5).
 */
function hitFor(row: MissionRow, mission: Json, centre: MissionsQuery['centre']): Json {
  const first = row.addresses[0]?.point ?? null;
  return centre === null || first === null ? mission : { ...mission, _distance: greatCircleKm(centre, first) };
}

/** Facets over the rows of one page only; missing and empty keys are dropped (volunteering 3.6). */
function facetsToday(page: readonly MissionRow[]): object {
  return {
    departmentName: countFacet(texts(page.map((row) => row.addresses[0]?.departmentName))),
    activities: countFacet(page.flatMap((row) => row.activities)),
    domains: countFacet(texts(page.map((row) => row.record['domain']))),
  };
}

function matches(row: MissionRow, query: MissionsQuery): boolean {
  return (
    matchesFields(row, query) &&
    (query.keywords === undefined || row.searched.some((text) => query.keywords?.test(text))) &&
    (query.activity === undefined || row.activities.some((activity) => query.activity?.includes(activity))) &&
    (!query.snu || row.record['snu'] === true) &&
    isWithin(query.createdAt, row.createdAt) &&
    isWithin(query.startAt, row.startAt) &&
    matchesPlace(row, query)
  );
}

function matchesFields({ record }: MissionRow, query: MissionsQuery): boolean {
  for (const [field, values] of query.fields) if (!isOneOf(record[field], values)) return false;
  return query.remote === undefined || isOneOf(record['remote'], query.remote);
}

/**
 * A single address must satisfy all conditions on places. Geographic searches also return every mission with
 * `remote=local`, whatever the place filters, unless `remote` was sent without that word (volunteering 3.3).
 */
function matchesPlace(row: MissionRow, query: MissionsQuery): boolean {
  const { near, places } = query;
  if (near === null && places.size === 0) return true;
  if (near !== null && row.record['remote'] === 'local') return true;
  return row.addresses.some((address) => {
    for (const [part, values] of places) if (!isOneOf(address[part], values)) return false;
    return near === null || (address.point !== null && isInside(near.box, address.point));
  });
}

function isOneOf(value: unknown, values: readonly string[]): boolean {
  return typeof value === 'string' && values.includes(value);
}

function texts(values: readonly unknown[]): string[] {
  return values.filter((value) => typeof value === 'string').filter((value) => value !== '');
}

/** The parameters of today's organization search. */
export interface OrganizationsQuery {
  readonly q: string;
  readonly rna: string;
  readonly siret: string;
  readonly limit: number;
  readonly skip: number;
}

/** Reads the parameters (volunteering 4.4): `issues` become a 400; `thrown` means that the database refuses, a 500. */
function readOrganizationsQuery(
  reader: QueryReader,
): OrganizationsQuery | { readonly issues: readonly Issue[] } | 'thrown' {
  const query = {
    q: reader.text('q')?.trim() ?? '',
    rna: reader.text('rna')?.trim() ?? '',
    siret: reader.text('siret')?.trim() ?? '',
    // Zero counts as one.
    limit: reader.number('limit', { min: 0, max: 100 }) ?? 25,
    skip: reader.number('skip', { min: 0 }) ?? 0,
  };
  if (reader.issues.length > 0) return { issues: reader.issues };
  if (!Number.isInteger(query.limit) || !Number.isInteger(query.skip) || query.q.includes('\0')) return 'thrown';
  return { ...query, limit: query.limit || 1 };
}

/** The records that match every given condition, in the order of the given records. */
function findOrganizations(ordered: readonly Json[], query: OrganizationsQuery): Json[] {
  const meetsQ = query.q === '' ? () => true : textSearch(query.q);
  return ordered.filter(
    (record) =>
      (query.rna === '' || record['rna'] === query.rna) &&
      (query.siret === '' || hasSiret(record, query.siret)) &&
      meetsQ(record),
  );
}

function hasSiret({ siret, sirets }: Json, wanted: string): boolean {
  return siret === wanted || (Array.isArray(sirets) && sirets.includes(wanted));
}

/** An exact match for an RNA, a SIRET or a SIREN by its form, else a full-text search (volunteering 4.4). */
function textSearch(q: string): (record: Json) => boolean {
  if (/^W\d{9}$/.test(q)) return (record) => record['rna'] === q;
  if (/^\d{14}$/.test(q)) return (record) => hasSiret(record, q);
  if (/^\d{9}$/.test(q)) return (record) => record['siren'] === q;
  const tests = wordTests(q);
  return (record) => tests.every((has) => has(searchText(record)));
}

/** What a text must have for `q`: each of its words as the beginning of one. */
function wordTests(q: string): readonly ((text: string) => boolean)[] {
  const wanted = normalise(q);
  if (wanted === '') return [() => false];
  const terms = wanted.split(' ').filter((token) => token.length >= 3);
  // Without a token of three characters, it is a plain substring search.
  if (terms.length === 0) return [(text) => text.includes(wanted)];
  return terms.map((term) => (text) => text.split(' ').some((word) => word.startsWith(term)));
}

/** The page of a search through the rows that are computed on demand, then the others. */
function pageOfOrganizations(catalogue: Catalogue, query: OrganizationsQuery) {
  const found = findOrganizations(catalogue.organizations(), query);
  const { register } = catalogue;
  const start = catalogue.startOf(query.skip);
  const page: Json[] = [];
  let place = 0;
  for (const number of register === undefined ? [] : candidates(register, query)) {
    if (place >= start) page.push(register?.row(number) ?? {});
    place += 1;
    if (page.length === query.limit) break;
  }
  const rest = Math.max(0, start - place);
  page.push(...found.slice(rest, rest + query.limit - page.length));
  return { page, isFound: place + found.length > 0 };
}

/** Numbers of the register's rows that the query finds. */
function* candidates(register: Register, query: OrganizationsQuery): Iterable<number> {
  const { q, rna, siret } = query;
  const code = [rna, siret, /^(W?\d{9}|\d{14})$/.test(q) ? q : ''].find((text) => text !== '');
  if (code !== undefined) {
    for (const number of register.withCode(code)) {
      if (findOrganizations([register.row(number)], query).length > 0) yield number;
    }
  } else if (q !== '') yield* register.withWords(wordTests(q));
  else for (let number = 0; number < register.size; number += 1) yield number;
}

function searchText(record: Json): string {
  return textOf(record, 'searchText') ?? '';
}

/** Milliseconds that the database searches the register at its real size (volunteering 6.1). */
function databaseMs({ q, rna, siret, skip }: OrganizationsQuery, isFound: boolean): number {
  return (
    skip / 1_000 +
    (rna !== '' || /^(W?\d{9})$/.test(q) ? 5 : siret !== '' || /^\d{14}$/.test(q) ? 187 : wordsMs(q, isFound))
  );
}

/** A search by words: slow with words of two letters, slowest where nothing is found, some texts more than others. */
function wordsMs(q: string, isFound: boolean): number {
  const text = normalise(q);
  if (text === '') return 5;
  if (!text.split(' ').some((word) => word.length >= 3)) return 800;
  return isFound ? 12 : 3_800 + 300 * (text.length % 8);
}
