import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Era, Fault } from '../../sandbox/server/types.js';
import { wasteClient } from '../../sandbox/waste/index.js';
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

describe('wasteAuthorization', () => {
  it('sends the browser to the platform’s page with each parameter once (WI-13, WI-14)', async () => {
    const { address, state, codeVerifier } = await start();
    const url = new URL(address);
    expect(url.origin + url.pathname).toBe(`${harness.service.authUrl}/oauth2/authorize/dialog`);
    expect([...url.searchParams]).toEqual([
      ['client_id', wasteClient.id],
      ['response_type', 'code'],
      ['redirect_uri', CALLBACK],
      ['state', state],
      ['code_challenge', createHash('sha256').update(codeVerifier).digest('base64url')],
      ['code_challenge_method', 'S256'],
    ]);
    expect(address).not.toContain(wasteClient.secret);
    expect(harness.service.calls).toEqual([]);
  });

  it('makes a state of 32 random bytes and a verifier, new each time', async () => {
    const [one, two] = [await start(), await start()];
    expect(Buffer.from(one.state, 'base64url')).toHaveLength(32);
    expect(new Set([one.state, two.state, one.codeVerifier, two.codeVerifier]).size).toBe(4);
  });
});

describe.each(['today', 'seed'] satisfies Era[])('wasteExchange, %s', (era) => {
  beforeEach(() => {
    harness.service.era = era;
  });

  it('turns a code into a token, which then says who the user is (WI-4, WI-8, WI-18 to WI-22)', async () => {
    const started = await start();
    const { data, errors } = await end(started, await consent(started));
    expect(errors).toEqual([]);
    const { accessToken, ...rest } = data.wasteExchange;
    expect(rest).toEqual({ denied: false, email: USER.email, name: USER.name });
    expect((await harness.send('{ viewer { id } }', { token: accessToken })).data.viewer).toEqual({ id: USER.id });

    const [call] = exchanges();
    expect(call?.method).toBe('POST');
    expect(call?.credentialHeaders).toEqual(['authorization']);
    const form = new URLSearchParams(call?.body as Record<string, string>);
    expect([...form.keys()].sort()).toEqual(['code', 'code_verifier', 'grant_type', 'redirect_uri']);
    expect(form.get('grant_type')).toBe('authorization_code');
    expect(form.get('redirect_uri')).toBe(CALLBACK);
    expect(form.toString()).not.toContain(wasteClient.secret);
  });

  it('takes a refusal of the user for a response, not for an error, and exchanges nothing', async () => {
    harness.service.switches.dialog = 'deny';
    const started = await start();
    const { data, errors } = await end(started, await consent(started));
    expect(errors).toEqual([]);
    expect(data.wasteExchange).toEqual({ denied: true, accessToken: null, email: null, name: null });
    expect(exchanges()).toEqual([]);
  });

  it('refuses a code that is used a second time (replay)', async () => {
    const started = await start();
    const callback = await consent(started);
    await end(started, callback);
    expect((await end(started, callback)).errors).toEqual(['RECONNECT_REQUIRED wasteExchange']);
  });

  it.each([
    [599_000, []],
    [601_000, ['RECONNECT_REQUIRED wasteExchange']],
  ])('takes a code of %i ms (WI-9)', async (age, expected) => {
    const started = await start();
    const callback = await consent(started);
    harness.service.advance(age);
    expect((await end(started, callback)).errors).toEqual(expected);
  });

  it('is refused with another redirect address than it began with (WI-22)', async () => {
    const started = await start();
    const response = await end(started, await consent(started), 'http://localhost:4000/auth/waste/callback');
    expect(response.errors).toEqual(['RECONNECT_REQUIRED wasteExchange']);
  });
});

describe('callbacks that are not ours exchange nothing', () => {
  const forged = (change: (parameters: URLSearchParams) => void) => async (started: RequestState) => {
    const parameters = new URLSearchParams(await consent(started));
    change(parameters);
    return parameters.toString();
  };

  it.each<[string, (started: RequestState) => Promise<string>]>([
    ['without a state', forged((parameters) => parameters.delete('state'))],
    ['with the state of another login', async () => `code=x&state=${(await start()).state}`],
    [
      'with a state that was cut',
      forged((parameters) => parameters.set('state', (parameters.get('state') ?? '').slice(1))),
    ],
    ['with two states', forged((parameters) => parameters.append('state', 'other'))],
    ['with two codes', forged((parameters) => parameters.append('code', 'other'))],
    ['with a code and an error', forged((parameters) => parameters.set('error', 'access_denied'))],
    ['with neither', forged((parameters) => parameters.delete('code'))],
    ['with an empty code', forged((parameters) => parameters.set('code', ''))],
    ['with a code of 10 kB', forged((parameters) => parameters.set('code', 'a'.repeat(10_000)))],
    ['with a line break in the code', forged((parameters) => parameters.set('code', 'abc\r\ndef'))],
    [
      'with an issuer that the platform does not send',
      forged((parameters) => parameters.set('iss', 'https://evil.example')),
    ],
    ['that are empty', async () => ''],
    ['with a refusal but no state', async () => 'error=access_denied'],
    ['with a refusal and another state', async () => 'error=access_denied&state=other'],
  ])('%s', async (_name, callbackOf) => {
    const started = await start();
    const { data, errors } = await end(started, await callbackOf(started));
    expect([data.wasteExchange, errors]).toEqual([null, ['BAD_USER_INPUT wasteExchange']]);
    expect(exchanges()).toEqual([]);
  });

  it('nor does one that carries another error, whose text is not passed on (WI-28)', async () => {
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

  it.each<[string, Fault, string]>([
    ['plain text 401: the client application is refused', { kind: 'status', status: 401 }, 'SOURCE_OFF'],
    ['429 in HTML', { kind: 'rate-limit' }, 'RATE_LIMITED'],
    ['502 in HTML', { kind: 'html' }, 'UPSTREAM_UNAVAILABLE'],
    ['200 in HTML', { kind: 'html', status: 200 }, 'UPSTREAM_INVALID_RESPONSE'],
    ['a redirect', { kind: 'redirect', headers: { location: 'http://127.0.0.1:9/' } }, 'UPSTREAM_INVALID_RESPONSE'],
    ['a cut body', { kind: 'cut' }, 'UPSTREAM_UNAVAILABLE'],
    ['a dropped connection', { kind: 'drop' }, 'UPSTREAM_UNAVAILABLE'],
    ['no access_token', responses({ token_type: 'Bearer' }), 'UPSTREAM_INVALID_RESPONSE'],
    [
      'an access_token that is no text',
      responses({ access_token: 7, token_type: 'Bearer' }),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    ['no token_type', responses({ access_token: 'tokenOfMarie' }), 'UPSTREAM_INVALID_RESPONSE'],
    [
      'a token_type other than bearer',
      responses({ access_token: 'tokenOfMarie', token_type: 'mac' }),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    [
      'a line break in the token',
      responses({ access_token: 'tokenOfMarie\r\nX: y', token_type: 'Bearer' }),
      'UPSTREAM_INVALID_RESPONSE',
    ],
    ['a list', responses([]), 'UPSTREAM_INVALID_RESPONSE'],
    [
      '20 MB',
      responses({ access_token: 'tokenOfMarie', token_type: 'Bearer', more: 'x'.repeat(20_000_000) }),
      'UPSTREAM_INVALID_RESPONSE',
    ],
  ])('%s', async (_name, fault, code) => {
    const started = await start();
    const callback = await consent(started);
    harness.service.fault({ path: '/oauth2/token', ...fault });
    const { data, errors, messages } = await end(started, callback);
    expect([data.wasteExchange, errors]).toEqual([null, [`${code} wasteExchange`]]);
    expect(exchanges()).toHaveLength(1);
    const reported = messages.join() + harness.logged.join();
    const spentCode = new URLSearchParams(callback).get('code') ?? '';
    for (const secret of ['tokenOfMarie', wasteClient.secret, spentCode, started.codeVerifier])
      expect(reported).not.toContain(secret);
  });

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
