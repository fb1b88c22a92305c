import { request } from 'undici';
import { describe, expect, it, type TestContext } from 'vitest';
import type { OperationContext } from '../../kernel/operation.js';
import { type OpenedGateway, type OpenOptions, openGateway, SHAPES } from './support/open-gateway.js';

interface Context {
  readonly operation: OperationContext;
}

/** Rejects as the toolkit does: with the reason of the operation's signal, as soon as it aborts. */
function untilAborted({ operation: { signal } }: Context): Promise<never> {
  return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
}

/** Long enough for a busy machine to open the gateways of all these tests in the meantime. */
const DEADLINE_MS = 1_500;

// Concurrent, because they mostly wait.
describe.concurrent.each(SHAPES)('time, %s', (shape) => {
  async function open(onFinished: TestContext['onTestFinished'], options: OpenOptions): Promise<OpenedGateway> {
    const gateway = await openGateway({ shape, ...options });
    onFinished(() => gateway.close());
    return gateway;
  }

  it('ends what waits at the deadline and keeps what was answered', async ({ onTestFinished }) => {
    const gateway = await open(onTestFinished, {
      resolvers: {
        volunteering: {
          Query: {
            echo: () => 'in time',
            slow: (_: unknown, __: unknown, context: Context) => untilAborted(context),
          },
        },
      },
      gateway: { requestDeadlineMs: DEADLINE_MS },
    });
    const { status, data, errors } = await gateway.send('{ echo slow }');
    expect(status).toBe(200);
    expect(data).toEqual({ echo: 'in time', slow: null });
    expect(errors?.map(({ path, extensions }) => [path, extensions['code']])).toEqual([
      [['slow'], 'DEADLINE_EXCEEDED'],
    ]);
  });

  it('cuts off what hangs, and does not begin what comes after', async ({ onTestFinished }) => {
    const gateway = await open(onTestFinished, {
      resolvers: {
        volunteering: { Query: { missions: () => new Promise(() => {}) } },
        'work-study': { Query: { commune: () => ({ nom: 'Brest' }) } },
      },
      gateway: { requestDeadlineMs: DEADLINE_MS },
    });
    const { data, errors } = await gateway.send('{ missions { commune { nom } } commune(insee: "1") { nom } }');
    expect(data).toEqual({ missions: null, commune: { nom: 'Brest' } });
    expect(errors?.map(({ path, extensions }) => [path, extensions['code']])).toEqual([
      [['missions'], 'DEADLINE_EXCEEDED'],
    ]);
  });

  it('cancels the calls of a client that leaves', async ({ onTestFinished }) => {
    let requested = () => {};
    let cancelled = () => {};
    const wasSent = new Promise<void>((resolve) => {
      requested = resolve;
    });
    const wasCancelled = new Promise<void>((resolve) => {
      cancelled = resolve;
    });
    const gateway = await open(onTestFinished, {
      resolvers: {
        volunteering: {
          Query: {
            slow: (_: unknown, __: unknown, context: Context) => {
              requested();
              context.operation.signal.addEventListener('abort', cancelled);
              return untilAborted(context);
            },
          },
        },
      },
    });
    const leaving = new AbortController();
    const response = request(`${gateway.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"query":"{ slow }"}',
      signal: leaving.signal,
    }).catch((error: Error) => error.name);
    await wasSent;
    leaving.abort();
    await wasCancelled;
    expect(await response).toBe('AbortError');
  });

  it('gives the loaders of one request one identity in process, and one for each operation apart', async ({
    onTestFinished,
  }) => {
    const gateway = await open(onTestFinished, {
      resolvers: {
        volunteering: { Query: { missions: () => [{ id: '1', city: 'a', organization: { id: '2', siret: '3' } }] } },
        'work-study': { Mission: { commune: () => null }, Organization: { workplaces: () => [] } },
      },
    });
    await gateway.send('{ missions { commune { nom } organization { workplaces { name } } } }');
    const { requested } = gateway.subgraphs['work-study'];
    const fields = ['missions.@.commune', 'missions.@.organization.workplaces'];
    const fetches = ['missions.@', 'missions.@.organization'];
    expect(requested.map(({ planNode }) => planNode).sort()).toEqual(shape === 'in process' ? fields : fetches);
    expect(new Set(requested.map((operation) => operation.request)).size).toBe(shape === 'apart' ? 2 : 1);
  });
});

it('says 503 at /readyz while it answers its last requests, and takes no more then', async () => {
  let phase: 'ready' | 'draining' = 'ready';
  let requested = () => {};
  let finish = (_text: string) => {};
  const wasSent = new Promise<void>((resolve) => {
    requested = resolve;
  });
  const slow = () => {
    requested();
    return new Promise<string>((resolve) => {
      finish = resolve;
    });
  };
  const opened = await openGateway({
    resolvers: { volunteering: { Query: { slow } } },
    gateway: { phase: () => phase },
  });
  const last = opened.send('{ slow }');
  await wasSent;
  phase = 'draining';
  const closed = opened.close();
  const ready = await fetch(`${opened.url}/readyz`);
  expect([ready.status, await ready.json()]).toMatchObject([503, { status: 'draining' }]);
  finish('the last');
  expect((await last).data).toEqual({ slow: 'the last' });
  await closed;
  await expect(fetch(`${opened.url}/readyz`)).rejects.toThrow();
});
