import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { WasteUser, World } from '../../sandbox/world/types.js';
import { type Harness, startHarness } from './support/harness.js';

const CALLBACK = 'http://127.0.0.1:4000/auth/waste/callback';
const USER: WasteUser = { id: 'ck-u', email: 'marie@example.org', password: 'p', name: 'Marie', companies: [] };
const WORLD = { wasteUsers: [USER], publishers: [], truth: new Map() } as unknown as World;

const START_LOGIN = 'query ($uri: URI!) { wasteAuthorization(redirectUri: $uri) { address state codeVerifier } }';
const END = `mutation ($callback: String!, $uri: URI!, $state: String!, $codeVerifier: String!) {
  wasteExchange(callback: $callback, redirectUri: $uri, state: $state, codeVerifier: $codeVerifier) {
    denied accessToken email name
  }
}`;

interface RequestState {
  readonly address: string;
  readonly state: string;
  readonly codeVerifier: string;
}

let harness: Harness;
beforeAll(async () => {
  harness = await startHarness(WORLD);
});
beforeEach(() => {
  harness.service.reset();
  harness.service.era = 'today';
  harness.logged.length = 0;
  Object.assign(harness.service.switches, {
    presetUser: USER.email,
    dialog: 'approve',
    state: 'echoed',
    iss: 'absent',
  });
});
afterAll(() => harness.close());

async function start(): Promise<RequestState> {
  const { data } = await harness.send(START_LOGIN, { variables: { uri: CALLBACK }, internal: true });
  return data.wasteAuthorization;
}

/** The query string with which the browser returns to the callback. */
async function consent({ address }: RequestState): Promise<string> {
  const response = await fetch(address, { redirect: 'manual' });
  return new URL(response.headers.get('location') ?? '').search.slice(1);
}

function end(started: RequestState, callback: string, uri = CALLBACK) {
  const { state, codeVerifier } = started;
  return harness.send(END, { variables: { callback, uri, state, codeVerifier }, internal: true });
}

const exchanges = () => harness.service.calls.filter(({ url }) => url === '/oauth2/token');

describe('a callback', () => {
  it('that carries another error exchanges nothing, and its text is not passed on (WI-28)', async () => {
    const started = await start();
    const response = await end(started, `error=server_error&error_description=<script>&state=${started.state}`);
    expect(response.errors).toEqual(['UPSTREAM_REFUSED_INPUT wasteExchange']);
    expect(response.messages.join()).not.toMatch(/script|server_error/);
    expect(exchanges()).toEqual([]);
  });
});

describe('a token endpoint that misbehaves', () => {
  beforeEach(() => harness.restart());

  const responses = (members: object) =>
    ({ kind: 'wrong-type', path: '/oauth2/token', change: () => members }) as const;

  it('and says the token in an error leaves it out of the log', async () => {
    const started = await start();
    const callback = await consent(started);
    harness.service.fault({ kind: 'status', status: 400, path: '/oauth2/token' });
    harness.service.fault(responses({ message: 'tokenOfMarie is not yours', error: 'tokenOfMarie' }));
    const { errors, messages } = await end(started, callback);
    expect(errors).toEqual(['UPSTREAM_REFUSED_INPUT wasteExchange']);
    expect(messages.join() + harness.logged.join()).not.toContain('tokenOfMarie');
  });

  it.each([
    ['an invalid request', 400, 'invalid_request', 'UPSTREAM_REFUSED_INPUT'],
    ['a grant type that it does not know', 501, 'unsupported_grant_type', 'UPSTREAM_REFUSED_INPUT'],
    ['a client that it does not know', 400, 'invalid_client', 'SOURCE_OFF'],
    ['a code that is spent', 403, 'invalid_grant', 'RECONNECT_REQUIRED'],
  ])('and finds %s is understood by its code, whatever its status (C6)', async (_name, status, error, code) => {
    const started = await start();
    const callback = await consent(started);
    harness.service.fault({ kind: 'status', status, path: '/oauth2/token' });
    harness.service.fault(responses({ error }));
    expect((await end(started, callback)).errors).toEqual([`${code} wasteExchange`]);
  });

  it.each([
    ['bearer in lower case', { access_token: 't', token_type: 'bearer' }],
    ['unknown members', { access_token: 't', token_type: 'Bearer', later: { a: 1 } }],
    ['a user that is missing', { access_token: 't', token_type: 'Bearer', user: undefined }],
  ])('takes %s', async (_name, members) => {
    const started = await start();
    const callback = await consent(started);
    harness.service.fault(responses(members));
    const { data, errors } = await end(started, callback);
    expect(errors).toEqual([]);
    expect(data.wasteExchange).toEqual({ denied: false, accessToken: 't', email: null, name: null });
  });
});

describe('internal fields', () => {
  it('are refused to anyone but the gateway, without a call', async () => {
    const variables = { uri: CALLBACK, callback: 'code=x', state: 's', codeVerifier: 'v' };
    expect((await harness.send(START_LOGIN, { variables })).errors).toEqual(['PERMISSION_DENIED wasteAuthorization']);
    expect((await harness.send(END, { variables })).errors).toEqual(['PERMISSION_DENIED wasteExchange']);
    expect(harness.service.calls).toEqual([]);
  });

  it('say so where logging in is not configured', async () => {
    const tokensOnly = await startHarness(WORLD, { canLogIn: false });
    const response = await tokensOnly.send(START_LOGIN, { variables: { uri: CALLBACK }, internal: true });
    await tokensOnly.close();
    expect(response.errors).toEqual(['SOURCE_OFF wasteAuthorization']);
  });
});
