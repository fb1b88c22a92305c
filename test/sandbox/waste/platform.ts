import { startWaste, type WasteService, wasteClient } from '../../../sandbox/waste/index.js';
import type { WasteUser, World } from '../../../sandbox/world/types.js';
import { readText } from '../read-json.js';
import { world } from '../volunteering/small-world.js';

export const CALLBACK = 'http://localhost:3000/auth/trackdechets/callback';

export const USER: WasteUser = {
  id: 'ckuser0001',
  email: 'marie@example.org',
  password: 'secret-de-marie',
  name: 'Marie Curie',
  companies: [
    { id: 'company1', orgId: '13001045700013', siret: '13001045700013', name: 'Déchets SA', securityCode: 4242 },
    { id: 'company2', orgId: 'BE0541696005', siret: null, vatNumber: 'BE0541696005', name: 'Recyclage SPRL' },
  ],
};

const OTHER: WasteUser = { id: 'ckuser0002', email: 'paul@example.org', password: 'p', name: 'Paul', companies: [] };

const wasteWorld: World = { ...world({}), wasteUsers: [USER, OTHER] };

/** A platform whose clock stands still until it is advanced, with CALLBACK registered. */
export async function startPlatform(): Promise<WasteService> {
  const service = await startWaste({
    world: wasteWorld,
    now: () => Date.UTC(2026, 0, 1),
    onUnknownPath: () => {},
  });
  service.registerRedirectUri(CALLBACK);
  return service;
}

/** The parts of a browser that matter here: it stores one cookie and follows no redirect. */
export function createBrowser() {
  let cookie = '';
  const send = async (url: string, init: RequestInit = {}): Promise<Response> => {
    const response = await fetch(url, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) cookie = set.split(';')[0] ?? '';
    return response;
  };
  return {
    get: send,
    post: (url: string, fields: Record<string, string>) =>
      send(url, { method: 'POST', body: new URLSearchParams(fields) }),
    cookie: () => cookie,
  };
}

export type Browser = ReturnType<typeof createBrowser>;

/** A browser in which the user is logged in. */
export async function loggedInBrowser(service: WasteService): Promise<Browser> {
  const browser = createBrowser();
  await browser.post(`${service.url}/login`, { email: USER.email, password: USER.password });
  return browser;
}

/** Query string of an authorization request. */
export function authorization(changes: Record<string, string | undefined> = {}): string {
  const query = new URLSearchParams();
  const parameters = { response_type: 'code', redirect_uri: CALLBACK, client_id: wasteClient.id, ...changes };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, value);
  return query.toString();
}

/** A fresh code for the user, obtained by routes 4 and 5. */
export async function freshCode(service: WasteService, browser?: Browser): Promise<string> {
  const requested = browser ?? (await loggedInBrowser(service));
  const id = await readText(requested.get(`${service.url}/oauth2/authorize?${authorization()}`), 'transactionID');
  const decided = await requested.post(`${service.url}/oauth2/authorize/decision`, {
    transaction_id: id,
  });
  return new URL(decided.headers.get('location') ?? '').searchParams.get('code') ?? '';
}

/** A token request with HTTP Basic and these fields; undefined removes a default one. */
export function exchange(
  service: WasteService,
  fields: Record<string, string | undefined>,
  headers: Record<string, string> = { authorization: basic() },
): Promise<Response> {
  const form = new URLSearchParams();
  const parameters = { grant_type: 'authorization_code', redirect_uri: CALLBACK, ...fields };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) form.set(name, value);
  return fetch(`${service.url}/oauth2/token`, { method: 'POST', body: form, headers });
}

export function basic(id: string = wasteClient.id, secret: string = wasteClient.secret): string {
  return `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
}

/** A GraphQL request with these headers. */
export function runQuery(
  service: WasteService,
  query: string,
  headers: Record<string, string> = {},
): Promise<Response> {
  return fetch(service.url, {
    method: 'POST',
    body: JSON.stringify({ query }),
    headers: { 'content-type': 'application/json', ...headers },
  });
}
