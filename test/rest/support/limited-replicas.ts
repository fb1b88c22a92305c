import { CodedError } from '../../../kernel/errors.js';
import type { Transport } from '../../../subgraphs/rest/ports/transport.js';
import { createFakeTransport } from './fake-transport.js';
import { createLimitedService } from './limited-service.js';
import { createOperation } from './operation.js';
import { createToolkit, search } from './toolkit.js';
import { createVirtualClock } from './virtual-clock.js';
import { createVirtualQuotaLog } from './virtual-quota-log.js';

const SECOND = 1_000;
/** Calls a minute for the key that all replicas use. */
export const LIMIT = 60;
export const WINDOW_MS = 60 * SECOND;

/** A call as the service and its sender see it. */
export interface SeenCall {
  readonly sentMs: number;
  heardMs: number;
  refused: boolean;
}

/** Latency of the service: 30 to 330 ms, and occasionally 2 s. */
const latencyMs = (dice: () => number) => (dice() < 0.05 ? 2 * SECOND : 30 + 300 * dice());

/**
 * Replicas that share the accounts of one key, on a virtual clock, in front of a service that counts that key's calls.
 * A single replica counts in its own memory.
 */
export function createLimitedReplicas(count: number) {
  const dice = createDice(count);
  const clock = createVirtualClock();
  const service = createLimitedService(clock, LIMIT, WINDOW_MS);
  const wire = createFakeTransport();
  const calls: SeenCall[] = [];
  const transport: Transport = {
    ...wire,
    send(request, signal) {
      const answered = wire.send(request, signal);
      const one = wire.sent.at(-1);
      const call: SeenCall = { sentMs: clock.monotonicMs(), heardMs: 0, refused: false };
      calls.push(call);
      const wayMs = Math.round(latencyMs(dice) / 2);
      clock.after(wayMs, () => {
        const { body, status = 200, headers } = service.respond(request);
        call.refused = status === 429;
        clock.after(wayMs, () => {
          call.heardMs = clock.monotonicMs();
          one?.respond(body, status, headers);
        });
      });
      return answered;
    },
  };
  const store = createVirtualQuotaLog(clock);
  const scopes = () => [{ kind: 'window', name: 'search', limit: LIMIT, windowMs: WINDOW_MS } as const];
  const replicas = Array.from({ length: count }, () =>
    createToolkit(
      'http://service.test',
      { dialect: { headers: () => ({}), scopes } },
      { clock, transport, random: dice, sharedQuota: count === 1 ? null : () => store },
    ),
  );
  let number = 0;
  /** A new search by the next of the replicas in turn, which has this many milliseconds. */
  const send = (forMs: number): Promise<unknown> => {
    number += 1;
    const untilMs = clock.monotonicMs() + forMs;
    const operation = createOperation({ remainingMs: () => Math.max(0, untilMs - clock.monotonicMs()) });
    const pending = replicas[number % count]?.call(search({ path: `/${number}` }), operation);
    return Promise.resolve(pending).catch((error: unknown) => error);
  };
  return { clock, dice, service, calls, send };
}

export type LimitedReplicas = ReturnType<typeof createLimitedReplicas>;

export function isRefused(outcome: unknown): outcome is CodedError {
  return outcome instanceof CodedError && outcome.code === 'RATE_LIMITED';
}

/** Pseudo-random numbers from 0 to 1, the same in each run (Lehmer's generator). */
function createDice(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
}
