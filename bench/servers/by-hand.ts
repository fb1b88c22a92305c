/**
 * The join as a developer would write it by hand for one page of their site: Node's own HTTP server, undici, and this
 * product's rules of freshness. Parsed responses are cached, equal calls in flight coalesced. No GraphQL, no breaker,
 * no quota, no limits: the baseline for a general gateway. Run with the sandbox's variables.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { LRUCache } from 'lru-cache';
import { Agent, request } from 'undici';
import { isRna, isSiret } from '../../subgraphs/codes/registers.js';
import { CACHE_TIMES, FRESHNESS_JITTER } from '../../subgraphs/rest/cache/response-cache.js';
import { postalCodesOf } from '../../subgraphs/work-study/communes/commune-index.js';
import { matchCommune } from '../../subgraphs/work-study/communes/match-commune.js';

type Mission = { id: string; title: string | null; insee: string | null; organization: string | null };
type Commune = { nom: string; departement: { nom: string }; academie: { nom: string } };
type Workplace = { name: string | null; siret: string };
type Organization = { title: string | null; siret: string | null; workplaces: readonly Workplace[] };
// biome-ignore lint/suspicious/noExplicitAny: JSON of services that this join trusts
type Json = any;

const { WORK_STUDY_URL, WORK_STUDY_API_KEY, VOLUNTEERING_URL, VOLUNTEERING_API_KEY } = process.env;
const WORK_STUDY_HEADERS = { authorization: `Bearer ${WORK_STUDY_API_KEY}` };
const VOLUNTEERING_HEADERS = { apikey: `${VOLUNTEERING_API_KEY}` };
const COMPRESSED_FROM_BYTES = 1024;

const dispatcher = new Agent({ connections: 64 });
const cache = new LRUCache<string, { value: unknown; freshUntilMs: number }>({ max: 20_000 });
const inFlight = new Map<string, Promise<Json>>();
const workplacesBySiret = await readExport();

async function fetchJson(url: string, headers: Record<string, string>): Promise<Json> {
  const { statusCode, body } = await request(url, { headers, dispatcher });
  if (statusCode !== 200) throw new Error(`${url} answered ${statusCode}`);
  return body.json();
}

/** A parsed response: from memory while it is fresh, else fetched once for all who wait for it. */
function load<T>(url: string, kind: 'search' | 'reference', parse: (json: Json) => T): T | Promise<T> {
  const known = cache.get(url);
  if (known !== undefined && Date.now() < known.freshUntilMs) return known.value as T;
  const coming = inFlight.get(url);
  if (coming !== undefined) return coming;
  const headers = kind === 'search' ? VOLUNTEERING_HEADERS : WORK_STUDY_HEADERS;
  const fetched = fetchJson(url, headers)
    .then((json) => {
      const jitter = 1 + FRESHNESS_JITTER * (2 * Math.random() - 1);
      const value = parse(json);
      cache.set(url, { value, freshUntilMs: Date.now() + CACHE_TIMES[kind].freshMs * jitter });
      return value;
    })
    .finally(() => inFlight.delete(url));
  inFlight.set(url, fetched);
  return fetched;
}

function loadMissions(first: string, skip: string): Mission[] | Promise<Mission[]> {
  const offset = skip === '0' ? '' : `skip=${skip}&`;
  return load(`${VOLUNTEERING_URL}/v0/mission?${offset}limit=${first}`, 'search', ({ data }) =>
    data.map((row: Json) => {
      const rna = [row.associationRNA, row.organizationRNA].find((code) => code && isRna(code));
      const siret = [row.associationSiren, row.organizationSiren].find((code) => code && isSiret(code));
      const organization = rna ? `rna=${rna}` : siret ? `siret=${siret}` : null;
      return { id: row._id, title: row.title ?? null, insee: matchCommune(row).insee, organization };
    }),
  );
}

/** The service finds a Corsican commune only by its postal codes, which return others too. */
async function loadCommune(insee: string): Promise<Commune | null> {
  const code = /^\d+$/.test(insee) ? insee : postalCodesOf(insee)[0];
  const communes = await load(`${WORK_STUDY_URL}/geographie/v1/commune/search?code=${code}`, 'reference', (rows) =>
    rows.map((row: Json) => {
      const { code, nom, departement, academie } = row;
      return [code.insee, { nom, departement: { nom: departement.nom }, academie: { nom: academie.nom } }];
    }),
  );
  return communes.find(([found]: [string]) => found === insee)?.[1] ?? null;
}

/**
 * The organization with a code; of several records, first those whose own code it is, then active, then newest ones.
 */
function loadOrganization(code: string): Organization | null | Promise<Organization | null> {
  const [name = '', value = ''] = code.split('=');
  return load(`${VOLUNTEERING_URL}/v0/organization?${code}&limit=100`, 'search', ({ data }) => {
    const rank = (row: Json) => [row[name] === value, row.status === 'ACTIVE', row.updatedAt ?? ''].join();
    const [best] = data
      .filter((row: Json) => row[name] === value || (name === 'siret' && row.sirets?.includes(value)))
      .sort((one: Json, other: Json) => (rank(one) < rank(other) ? 1 : -1));
    if (best === undefined) return null;
    const sirets = [...new Set<string>([best.siret, ...(best.sirets ?? [])])];
    const workplaces = sirets.filter(Boolean).flatMap((siret) => workplacesBySiret.get(siret) ?? []);
    return { title: best.title ?? null, siret: best.siret ?? null, workplaces };
  });
}

async function join(first: string, skip: string): Promise<object> {
  const missions = await loadMissions(first, skip);
  const nodes = missions.map(async ({ id, title, ...links }) => {
    const [commune, organization] = await Promise.all([
      links.insee === null ? null : loadCommune(links.insee).then(withoutAcademie),
      links.organization === null ? null : loadOrganization(links.organization),
    ]);
    return { id, title, commune, organization };
  });
  return { missions: { nodes: await Promise.all(nodes) } };
}

function withoutAcademie(commune: Commune | null): Omit<Commune, 'academie'> | null {
  return commune && { nom: commune.nom, departement: commune.departement };
}

/** The distinct workplaces of each SIRET in the daily export. */
async function readExport(): Promise<Map<string, Workplace[]>> {
  const { url } = await fetchJson(`${WORK_STUDY_URL}/job/v1/export`, WORK_STUDY_HEADERS);
  const distinct = new Map<string, Workplace>();
  for (const { workplace } of await fetchJson(url, {})) distinct.set(JSON.stringify(workplace), workplace);
  const bySiret = new Map<string, Workplace[]>();
  for (const { name, siret } of distinct.values()) bySiret.set(siret, [...(bySiret.get(siret) ?? []), { name, siret }]);
  return bySiret;
}

async function respond(url: string): Promise<object> {
  const [path, query] = url.split('?');
  const given = new URLSearchParams(query);
  if (path === '/missions') return join(given.get('first') ?? '20', given.get('skip') ?? '0');
  if (path === '/commune') return { commune: await loadCommune(given.get('insee') ?? '') };
  return { __typename: 'Query' };
}

async function send(encodings: string, body: Buffer, response: ServerResponse): Promise<void> {
  const isShort = body.length < COMPRESSED_FROM_BYTES;
  const encoding = isShort ? undefined : ['br', 'gzip'].find((name) => encodings.includes(name));
  const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 4, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } };
  let sent = body;
  if (encoding === 'br') sent = await promisify(brotliCompress)(body, brotli);
  if (encoding === 'gzip') sent = await promisify(gzip)(body);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'content-length': sent.length };
  response.writeHead(200, encoding === undefined ? headers : { ...headers, 'content-encoding': encoding }).end(sent);
}

const server = createServer((incoming, response) => {
  respond(incoming.url ?? '')
    .then((data) => send(String(incoming.headers['accept-encoding']), Buffer.from(JSON.stringify({ data })), response))
    .catch((error: Error) => response.writeHead(502).end(error.message));
}).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`The join by hand answers at http://127.0.0.1:${(server.address() as { port: number }).port}`);
// Builds the index of communes now rather than at the first request.
matchCommune({});
