import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type WasteService, wasteClient } from '../../../sandbox/waste/index.js';
import { readText } from '../read-json.js';
import {
  authorization,
  type Browser,
  CALLBACK,
  createBrowser,
  loggedInBrowser,
  startPlatform,
  USER,
} from './platform.js';

let service: WasteService;
let browser: Browser;

beforeAll(async () => {
  service = await startPlatform();
});
afterAll(() => service.close());
beforeEach(async () => {
  browser = await loggedInBrowser(service);
});
afterEach(() => {
  service.reset();
  service.era = 'today';
});

const authorize = (query: string) => browser.get(`${service.url}/oauth2/authorize?${query}`);

describe('GET /oauth2/authorize (waste-identity 3.2, 3.3)', () => {
  it('opens a transaction of eight letters and digits', async () => {
    const response = await authorize(authorization());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8');
    expect(await response.json()).toEqual({
      transactionID: expect.stringMatching(/^[A-Za-z0-9]{8}$/),
      user: { name: USER.name },
      client: { name: wasteClient.name },
      redirectURI: CALLBACK,
    });
  });

  it('answers 401 without a session', async () => {
    const response = await fetch(`${service.url}/oauth2/authorize?${authorization()}`);
    expect(response.status).toBe(401);
    expect(await response.text()).toBe('{"error":"Not Authorized"}');
  });

  const repeated = (name: string) => `${authorization()}&${name}=x&${name}=y`;
  const table: [string, string, number, string, string][] = [
    [
      'no response_type',
      authorization({ response_type: undefined }),
      400,
      'invalid_request',
      'Missing required parameter: response_type',
    ],
    ['scope repeated', repeated('scope'), 400, 'invalid_request', 'Invalid parameter: scope must be a string'],
    ['an unknown client', authorization({ client_id: 'nobody' }), 403, 'unauthorized_client', 'Invalid client id'],
    ['redirect_uri repeated', repeated('redirect_uri'), 403, 'unauthorized_client', 'Invalid redirect uri'],
  ];
  it.each(table)('never redirects for %s', async (_, query, status, error, description) => {
    const response = await authorize(query);
    expect(response.status).toBe(status);
    expect(await response.text()).toBe(JSON.stringify({ error, error_description: description }));
  });

  it('redirects errors with state in the seed era, to registered addresses only (waste-identity 12.7.1)', async () => {
    service.era = 'seed';
    const redirected = await authorize(authorization({ response_type: 'token', state: 's 1' }));
    expect(redirected.status).toBe(302);
    expect(redirected.headers.get('location')).toBe(`${CALLBACK}?error=unsupported_response_type&state=s%201`);
    expect((await authorize(authorization({ redirect_uri: 'http://evil.example' }))).status).toBe(403);
  });
});

describe('POST /oauth2/authorize/decision (waste-identity 3.4)', () => {
  const _decide = async (query: string, fields: Record<string, string> = {}): Promise<Response> => {
    const id = await readText(authorize(query), 'transactionID');
    return browser.post(`${service.url}/oauth2/authorize/decision`, { transaction_id: id, ...fields });
  };

  it('takes a transaction once', async () => {
    const fields = { transaction_id: await readText(authorize(authorization()), 'transactionID') };
    expect((await browser.post(`${service.url}/oauth2/authorize/decision`, fields)).status).toBe(302);
    const replay = await browser.post(`${service.url}/oauth2/authorize/decision`, fields);
    expect(replay.status).toBe(403);
    expect(replay.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await replay.text()).toContain('<pre>Forbidden</pre>');
  });

  it('answers 400 in HTML without a transaction and 401 in JSON without a session', async () => {
    const missing = await browser.post(`${service.url}/oauth2/authorize/decision`, {});
    expect(missing.status).toBe(400);
    expect(await missing.text()).toContain('<pre>Bad Request</pre>');
    const anonymous = await createBrowser().post(`${service.url}/oauth2/authorize/decision`, { transaction_id: 'x' });
    expect(anonymous.status).toBe(401);
    expect(await anonymous.text()).toBe('{"error":"Not Authorized"}');
  });
});
