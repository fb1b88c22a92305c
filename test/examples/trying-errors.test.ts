import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { SANDBOX_SERVICES, type SandboxServiceName } from '../../sandbox/index.js';
import { openBrowser } from '../auth/support/browser.js';
import { type Stack, startStack } from '../scenarios/stack.js';

/** Guards that the sandbox fails as its page says: its commands are sent as they stand there. */

const PAGE = readFileSync(new URL('../../sandbox/README.md', import.meta.url), 'utf8');

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ shape: 'in process', sandbox: { scale: 0.02 }, awaitsExport: false });
});
afterAll(() => stack.close());

async function control(service: SandboxServiceName, path: string, method: string, body?: string) {
  const url = `${stack.sandbox.serviceOf(service).origin}/__sandbox${path}`;
  const response = await fetch(url, { method, ...(body !== undefined && { body }) });
  expect(response.status, `${method} ${url} ${body}`).toBe(200);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}
const endFaults = () => control('volunteering', '/faults', 'DELETE');

let asked = 2;
/** The codes of a list that nobody has asked for, so that nothing of it is cached; and the list. */
async function missions() {
  asked += 1;
  const { data, errors } = await stack.send(`{ missions(first: ${asked}) { nodes { id } } }`);
  return { nodes: data.missions?.nodes, codes: errors.map(({ extensions }) => extensions.code) };
}

test('the commands of the page make the services fail that they name, and end it', async () => {
  const firstPort = Number(/--port (\d+)/.exec(PAGE)?.[1]);
  const commands = PAGE.matchAll(
    /^curl (?:-d '([^']+)'|-X (\w+)) http:\/\/127\.0\.0\.1:(\d+)\/__sandbox(\S+) +# (.+)/gm,
  );
  const codes = [];
  for (const [, body, method = 'POST', port, path = '', comment] of commands) {
    const service = SANDBOX_SERVICES[Number(port) - firstPort] ?? 'waste-identity';
    if (body !== undefined) expect(comment).toContain(service);
    await control(service, path, method, body);
    codes.push((await missions()).codes);
  }
  expect(codes).toEqual([['UPSTREAM_UNAVAILABLE'], ['UPSTREAM_UNAVAILABLE'], []]);
});

const OF_KINDS = [...PAGE.matchAll(/`(\{"kind":[^`]+\})` for (`([A-Z_]+)`|a null with an error inside a list)/g)];
const CASES = OF_KINDS.map(([, fault = '', , code]) => [fault, code ?? 'UPSTREAM_INVALID_RESPONSE'] as const);
/** A service that never answers is given ten seconds; one whose quota is spent is asked nothing for a minute. */
const WAITING = ['UPSTREAM_TIMEOUT', 'RATE_LIMITED'];

test.each(
  CASES.filter(([, code]) => code !== WAITING[0]).sort(([, a], [, b]) => WAITING.indexOf(a) - WAITING.indexOf(b)),
)('%s is for %s', async (fault, code) => {
  await control('volunteering', '/faults', 'POST', fault);
  const { codes, nodes } = await missions();
  expect(new Set(codes)).toEqual(new Set([code]));
  if (code === 'UPSTREAM_INVALID_RESPONSE') expect(nodes[1]).toBeNull();
  await endFaults();
  expect((await missions()).codes).toEqual(code === 'RATE_LIMITED' ? [code] : []);
});

test('every route of every service is on the page', async () => {
  for (const service of SANDBOX_SERVICES) {
    const unknown = await fetch(`${stack.sandbox.serviceOf(service).origin}/__sandbox/nothing`);
    const { commands } = (await unknown.json()) as { commands: readonly string[] };
    expect(commands).toContain('POST /faults');
    for (const command of commands) expect(PAGE).toContain(`\`${command}\``);
  }
});

/** A body as it stands on the page, by its first member. */
const bodyWith = (member: string) => new RegExp(`\\{"${member}":[^}]+\\}`).exec(PAGE)?.[0];

test('calls are listed and forgotten, and clock, quota and era are as they are told', async () => {
  const { volunteering, workStudy } = stack.sandbox;
  expect(Object.keys(await control('volunteering', '/faults', 'GET'))).toEqual(
    expect.arrayContaining(CASES.map(([fault]) => JSON.parse(fault).kind)),
  );
  expect(await control('volunteering', '/calls', 'GET')).not.toEqual([]);
  await control('volunteering', '/calls', 'DELETE');
  expect(await control('volunteering', '/calls', 'GET')).toEqual([]);
  const before = volunteering.now();
  await control('volunteering', '/clock', 'POST', bodyWith('advanceMs'));
  expect(volunteering.now() - before).toBeGreaterThanOrEqual(60_000);
  await control('volunteering', '/switches', 'POST', bodyWith('callsPerMinute'));
  expect(volunteering.callsPerMinute).toBe(10);
  await control('volunteering', '/reset', 'POST');
  expect(volunteering.callsPerMinute).toBeGreaterThan(10);
  await control('work-study', '/era', 'POST', bodyWith('era'));
  expect(workStudy.era).toBe('seed');
});

test('a login comes back at once as it is told, until its token is revoked', async () => {
  const redirectUri = `${stack.url}/auth/waste/callback`;
  await control('waste-identity', '/redirect-uris', 'POST', JSON.stringify({ redirectUri }));
  await control('waste-identity', '/switches', 'POST', bodyWith('presetUser'));
  const email = stack.sandbox.waste.switches.presetUser ?? 'nobody';
  const browser = openBrowser();
  const page = await browser.visit(`${stack.url}/auth/waste/login?returnTo=/healthz`);
  expect(page.url).toBe(`${stack.url}/healthz`);
  const viewer = async () =>
    (
      await browser.post(`${stack.url}/graphql`, '{"query":"{ viewer { email } }"}', {
        'content-type': 'application/json',
      })
    ).text;
  expect(await viewer()).toContain(email);
  await control('waste-identity', '/revoke', 'POST', JSON.stringify({ email }));
  expect(await viewer()).toContain('RECONNECT_REQUIRED');
});
