import { getEventListeners } from 'node:events';
import { type ClientCall, keyOf } from './callers.js';
import type { Reading } from './service.js';

/** Freshness with jitter (response-cache.ts), plus the difference of two replicas' clocks, plus the slowest response. */
const OLDEST_HIT_MS = 60_000 * 1.1 + 10_000 + 12_000;
const OLDEST_STALE_MS = 10 * 60_000 + 10_000 + 12_000;

/** A key that was never accepted is refused in an outage of the database of keys. */
const OUTAGE_CODES = new Set([
  ...['UPSTREAM_UNAVAILABLE', 'UPSTREAM_TIMEOUT', 'UPSTREAM_INVALID_RESPONSE'],
  ...['CREDENTIALS_REJECTED', 'SOURCE_OFF'],
]);

/** What is wrong with the end of a call. `troubled` says whether its routes have had a fault. */
export function* faultsOf(call: ClientCall, troubled: boolean): Iterable<readonly [rule: string, detail: string]> {
  const { startMs, deadlineMs, replica } = call;
  const { atMs, left, code, signal } = call.end!;
  const lastMoment = Math.max(startMs + deadlineMs, replica.lastPauseEndsMs);
  if (atMs > lastMoment + 100) yield ['ends in time', `ended ${Math.round(atMs - startMs - deadlineMs)} ms late`];
  if (getEventListeners(signal, 'abort').length > 0) yield ['leaves no listener', ''];
  if (code === undefined) yield* faultsOfResponse(call);
  else if (code === 'DEADLINE_EXCEEDED') {
    if (!left && atMs < startMs + deadlineMs - 1) yield ['errors have a cause', code];
  } else if (code !== 'RATE_LIMITED' && !(troubled && OUTAGE_CODES.has(code))) yield ['errors have a cause', code];
}

function* faultsOfResponse({ key, kind, path, end }: ClientCall): Iterable<readonly [rule: string, detail: string]> {
  const { atMs, value, row } = end!;
  const read = value as Partial<Reading> | null;
  if (read?.failed === true) yield ['errors are not cached', JSON.stringify(value)];
  if (read?.kind !== 'answer' || read.path !== path || read.madeAtMs === undefined) {
    yield ["responses are the service's own", JSON.stringify(value)];
    return;
  }
  if (read.key !== keyOf(kind, key)) yield ['keys are separate', `${key} got the response to ${read.key}`];
  const ageMs = atMs - read.madeAtMs;
  const isHit = row?.cache === 'HIT' || row?.cache === 'STALE';
  if (isHit && read.noStore === true) yield ['no-store is not cached', ''];
  if (isHit && read.isCut === true) yield ['a list that was broken off is not cached', ''];
  if (kind === 'reference') return;
  if (row?.cache === 'HIT' && ageMs > OLDEST_HIT_MS) yield ['fresh means fresh', `${Math.round(ageMs)} ms`];
  if (row?.cache === 'STALE' && ageMs > OLDEST_STALE_MS) yield ['stale has an end', `${Math.round(ageMs)} ms`];
}
