import { expect, it } from 'vitest';
import { CodedError } from '../../../schema/errors.js';
import type { Transport } from '../../../subgraphs/rest/ports/transport.js';
import type { WindowScope } from '../../../subgraphs/rest/quota/scope.js';
import { createFakeTransport } from '../support/fake-transport.js';
import { createLimitedService } from '../support/limited-service.js';
import { createOperation } from '../support/operation.js';
import { createToolkit, search } from '../support/toolkit.js';
import { createVirtualAccounts } from '../support/virtual-accounts.js';
import { createVirtualClock } from '../support/virtual-clock.js';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const LIMIT = 60;
const SCOPE: WindowScope = { kind: 'window', name: 'search', limit: LIMIT, windowMs: MINUTE };
const FIVE_WINDOWS = 310 * SECOND;
/** Calls that a stranger spends of each window. */
const STRANGERS = 0.3 * LIMIT;
const REQUEST_MS = 20 * SECOND;

/** Numbers from 0 to 1 that look like chance and are the same in each run (Lehmer's generator). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}

/** A call as the service and its sender saw it. */
interface Sent {
  readonly sentMs: number;
  heardMs: number;
  refused: boolean;
}

/** Replicas in front of one service whose answers take 30 to 330 ms and at times 2 s (RELIABILITY B). */
function openReplicas(count: number) {
  const dice = createDice(count);
  const clock = createVirtualClock();
  const service = createLimitedService(clock, LIMIT);
  const wire = createFakeTransport();
  const calls: Sent[] = [];
  const transport: Transport = {
    ...wire,
    send(request, signal) {
      const answered = wire.send(request, signal);
      const one = wire.sent.at(-1);
      const call: Sent = { sentMs: clock.monotonicMs(), heardMs: 0, refused: false };
      calls.push(call);
      const wayMs = (dice() < 0.05 ? 2 * SECOND : 30 + 300 * dice()) / 2;
      clock.after(wayMs, () => {
        const { body, status = 200, headers } = service.respond(request);
        call.refused = status === 429;
        clock.after(wayMs, () => {
          call.heardMs = clock.monotonicMs();
          one?.answer(body, status, headers);
        });
      });
      return answered;
    },
  };
  const sharedQuota = count === 1 ? null : createVirtualAccounts(() => clock.monotonicMs());
  const dialect = { headers: () => ({}), scopes: () => [SCOPE] };
  const replicas = Array.from({ length: count }, () =>
    createToolkit('http://service.test', { dialect }, { clock, transport, random: dice, sharedQuota }),
  );
  return { clock, dice, service, calls, replicas };
}

type Bench = ReturnType<typeof openReplicas>;

const STRANGER: Readonly<Record<string, (bench: Bench) => void>> = {
  'now and then': ({ clock, dice, service }) => {
    const everyMs = MINUTE / STRANGERS;
    const again = () => {
      service.spend(1);
      clock.after(everyMs * 2 * dice(), again);
    };
    clock.after(everyMs * dice(), again);
  },
  'at the start of each window': ({ clock, service }) => {
    const again = () => {
      service.spend(STRANGERS);
      clock.after(MINUTE, again);
    };
    again();
  },
};

/** Three hundred searches at once; who is refused comes back when he was told to or a little later, until he is answered. */
function offer({ clock, dice, replicas }: Bench): Promise<unknown> {
  const ask = async (number: number): Promise<void> => {
    const untilMs = clock.monotonicMs() + REQUEST_MS;
    const operation = createOperation({ remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) });
    const outcome = await replicas[number % replicas.length]
      ?.call(search({ path: `/${number}` }), operation)
      .catch((error: unknown) => error);
    if (!(outcome instanceof CodedError)) return;
    const waitMs = Number(outcome.extensions['retryAfterSeconds']) * SECOND + dice() * 15 * SECOND;
    await new Promise<void>((resolve) => void clock.after(waitMs, resolve));
    await ask(number);
  };
  return Promise.all(Array.from({ length: 300 }, (_, number) => ask(number)));
}

it.each([
  { replicas: 3, when: 'now and then', most: 10 },
  { replicas: 1, when: 'at the start of each window', most: 0 },
  { replicas: 3, when: 'at the start of each window', most: 0 },
])(
  'a stranger who spends 30 % of the key $when costs $replicas replica(s) at most $most refusals in five windows',
  async (world) => {
    const bench = openReplicas(world.replicas);
    const { clock, service, calls } = bench;
    STRANGER[world.when]?.(bench);
    void offer(bench);
    await clock.advance(FIVE_WINDOWS);
    expect(service.refused).toBeLessThanOrEqual(world.most);
    expect(service.answered).toBeGreaterThanOrEqual(200);
    // Nobody is sent into a window that has refused somebody already.
    const refused = calls.filter((call) => call.refused);
    const again = refused.filter(({ sentMs }) =>
      refused.some(({ heardMs }) => sentMs > heardMs && sentMs < heardMs + SECOND),
    );
    expect(again).toEqual([]);
  },
);
