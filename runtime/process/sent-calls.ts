import { Counter, type Registry } from 'prom-client';
import type { UpstreamCall } from '../../schema/trace.js';
import { createCounterBatch } from './counter-batch.js';

/** Codes of calls that the service failed. Any other result, such as a refused input, shows that it answers. */
const FAILURES: ReadonlySet<string | undefined> = new Set([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
]);

/** Counts requests sent, and sent calls by their result: calls that were not sent say nothing about the service. */
export function createSentCalls(registers: Registry[]): (row: UpstreamCall) => void {
  const requested = createCounterBatch();
  const requests: Counter = new Counter({
    name: 'passerelle_upstream_requests_total',
    help: 'Requests sent to a service, retries included.',
    labelNames: ['service'],
    registers,
    collect: () => requested.flush(requests),
  });
  const ended = createCounterBatch();
  const counter: Counter = new Counter({
    name: 'passerelle_upstream_sent_calls_total',
    help: 'Calls sent to a service that have ended, by whether it answered or failed, even if a stale entry was served instead.',
    labelNames: ['service', 'result'],
    registers,
    collect: () => ended.flush(counter),
  });
  return (row) => {
    requested.add(row.service, () => ({ service: row.service }), row.sent ?? 0);
    const result = resultOf(row);
    if (result !== null) ended.add(`${row.service} ${result}`, () => ({ service: row.service, result }));
  };
}

/** Null for a call that was not sent, and for one whose end nobody waited for. */
function resultOf({ sent = 0, error, stale, status }: UpstreamCall): 'answered' | 'failed' | null {
  if (sent === 0) return null;
  if (FAILURES.has(error) || stale?.reason === 'OUTAGE') return 'failed';
  return status === null || stale?.reason === 'SLOW' ? null : 'answered';
}
