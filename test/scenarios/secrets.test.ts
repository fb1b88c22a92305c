import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { the } from './samples.js';
import { SHAPES, type Stack, type StackResponse, SUBGRAPH_TOKEN, startStack } from './stack.js';

/** A caller's key that no service knows: when it is refused, the refusal must not repeat it. */
const UNKNOWN_KEY = 'an-unknown-key-of-a-caller';

/** A port that was free a moment ago. */
async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}

describe.each(SHAPES)('Keys, tokens and cookies, %s', (shape) => {
  let stack: Stack;
  let metricsPort: number | null;
  beforeAll(async () => {
    // All processes of a test get the same variables, so with several of them their metrics ports would collide.
    metricsPort = shape === 'in process' ? await freePort() : null;
    stack = await startStack({
      shape,
      sandbox: { scale: 0.1 },
      env: { LOG_LEVEL: 'trace', ...(metricsPort !== null && { METRICS_PORT: String(metricsPort) }) },
    });
  });
  afterAll(() => stack.close());

  function secrets(): string[] {
    const { keys, waste } = stack.sandbox;
    return [
      ...Object.values(keys.workStudy),
      ...Object.values(keys.volunteering),
      ...waste.userTokens.values(),
      keys.waste.token,
      keys.waste.client.secret,
      SUBGRAPH_TOKEN,
      UNKNOWN_KEY,
    ];
  }

  const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();

  /** Sends queries that succeed, are refused, have wrong input, and fail at the sources. */
  async function sendEverything(): Promise<StackResponse[]> {
    const { keys, workStudy, volunteering, waste } = stack.sandbox;
    const query = `query ($id: ID!) {
      missions(first: 4) { nodes { title commune { nom } organization { siret workplaces { name } } } }
      mission(id: $id) { id }
      jobSearch(departements: ["29"]) { truncated }
      viewer { name companies { organization { title } } }
      organization(siret: "1") { id }
    }`;
    const callers = [
      { workStudy: keys.workStudy.alice, volunteering: keys.volunteering.alice, token: keys.waste.token },
      { workStudy: keys.workStudy.bob, volunteering: keys.volunteering.bob, token: UNKNOWN_KEY },
      { workStudy: UNKNOWN_KEY, volunteering: UNKNOWN_KEY, token: UNKNOWN_KEY },
    ];
    const responses: StackResponse[] = [];
    const send = async ({ workStudy: work, volunteering: volunteer, token }: (typeof callers)[number]) => {
      responses.push(
        await stack.send(query, {
          variables: { id: UNKNOWN_KEY },
          headers: {
            'x-work-study-key': work,
            'x-volunteering-key': volunteer,
            authorization: `Bearer ${token}`,
            cookie: `passerelle=${UNKNOWN_KEY}`,
            'x-passerelle-csrf': '1',
          },
        }),
      );
    };
    for (const caller of callers) await send(caller);
    for (const service of [workStudy, volunteering, waste]) service.fault({ kind: 'status', status: 500 });
    for (const caller of callers) await send(caller);
    for (const service of [workStudy, volunteering, waste]) service.clearFaults();
    return responses;
  }

  test('appear in no response, error, trace, log line or metric, and in no address', async () => {
    const { workStudy, volunteering, waste } = stack.sandbox;
    const responses = await sendEverything();
    const codes = new Set(responses.flatMap(({ errors }) => errors.map(({ extensions }) => extensions.code)));
    expect([...codes], 'the questions reach every kind of refusal').toEqual(
      expect.arrayContaining(['BAD_USER_INPUT', 'CREDENTIALS_REJECTED', 'RECONNECT_REQUIRED', 'UPSTREAM_UNAVAILABLE']),
    );
    // Here the caller used the key as the id of a mission, so it is in the address.
    const urls = [workStudy, volunteering, waste].flatMap(({ calls }) =>
      calls.map(({ url }) => url.replace(`/v0/mission/${UNKNOWN_KEY}`, '')),
    );
    const places = {
      responses: JSON.stringify(responses.map(({ data, errors, trace }) => ({ data, errors, trace }))),
      headers: JSON.stringify(responses.map(({ headers }) => [...headers])),
      log: stack.log.text(),
      urls: urls.join('\n'),
      metrics: metricsPort === null ? '' : await metrics(),
    };
    for (const [place, text] of Object.entries(places)) {
      for (const secret of secrets()) expect(text.includes(secret), `${secret} in ${place}`).toBe(false);
    }
  });

  test('are in no message and no log line when a service repeats them in another form', async () => {
    const { volunteering } = stack.sandbox;
    const key = 'quoted"slashed/key\\of+a=caller';
    for (const form of [key, encodeURIComponent(key)]) {
      const endFailure = volunteering.fault({ kind: 'status', status: 400 });
      const endEcho = volunteering.fault({ kind: 'wrong-type', change: () => ({ message: `The key ${form} is odd` }) });
      const headers = { 'x-volunteering-key': key };
      const { errors } = await stack.send('{ missions(first: 7) { totalCount } }', { headers });
      expect(errors.map(({ message }) => message)).toEqual(['volunteering refused the request.']);
      endFailure();
      endEcho();
    }
    expect(stack.log.text()).not.toContain('is odd');
    for (const part of ['slashed/key', 'slashed%2Fkey']) expect(stack.log.text()).not.toContain(part);
  });

  if (shape === 'apart') return;

  test('are no labels of the metrics, which count the calls of each service', async () => {
    const text = await metrics();
    for (const service of ['work-study', 'waste-identity', 'volunteering']) {
      const [, counted] = the(
        text.match(new RegExp(`passerelle_upstream_requests_total{service="${service}"} (\\d+)`)) ?? undefined,
      );
      expect(Number(counted), service).toBeGreaterThan(0);
    }
    expect(text).toContain('path="/v0/mission/{id}"');
    expect(text).toContain('process_cpu_seconds_total');
    expect((await fetch(`${stack.url}/metrics`)).status, 'not on the public listener').toBe(404);
  });
});
