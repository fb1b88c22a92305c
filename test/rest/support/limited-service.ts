import type { Clock } from '../../../subgraphs/rest/ports/ports.js';
import type { WireRequest } from '../../../subgraphs/rest/ports/transport.js';

/** A service that counts in fixed windows, as work-study and volunteering do: a window starts with its first call. */
export interface LimitedService {
  readonly respond: (request: WireRequest) => { body: unknown; status?: number; headers: Record<string, string> };
  /** How many calls it refused. */
  readonly refused: number;
  readonly answered: number;
  /** Somebody else spends from the same key. */
  spend(calls: number): void;
}

export function createLimitedService(
  clock: Pick<Clock, 'monotonicMs'>,
  limit: number,
  windowMs = 60_000,
): LimitedService {
  let startedMs = Number.NEGATIVE_INFINITY;
  let spent = 0;
  const service = {
    refused: 0,
    answered: 0,
    spend(calls: number) {
      if (clock.monotonicMs() - startedMs >= windowMs) {
        startedMs = clock.monotonicMs();
        spent = 0;
      }
      spent += calls;
    },
    respond() {
      service.spend(1);
      const resetSeconds = Math.ceil((startedMs + windowMs - clock.monotonicMs()) / 1000);
      const headers = {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(Math.max(0, limit - spent)),
        'x-ratelimit-reset': String(resetSeconds),
      };
      if (spent <= limit) {
        service.answered += 1;
        return { body: { number: service.answered }, headers };
      }
      service.refused += 1;
      const body = { statusCode: 429, name: 'Too Many Requests' };
      return { body, status: 429, headers: { ...headers, 'retry-after': String(resetSeconds) } };
    },
  };
  return service;
}
