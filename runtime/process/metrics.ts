import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { WatchCaches } from '../../schema/caches.js';
import type { ServiceName } from '../../schema/services.js';
import type { UpstreamCall } from '../../schema/trace.js';
import { createCacheGauges } from './cache-gauges.js';
import { createSafelistMetrics, type SafelistMetrics } from './safelist-metrics.js';
import { createTally, createTimes } from './tally.js';

/** What is counted for Prometheus. Labels are bounded: services, templates, codes; never a value of a caller. */
export interface Metrics extends SafelistMetrics {
  /** One recorded call: sent, or served without a call. */
  upstreamCall(row: UpstreamCall): void;
  /** A value of a service that is not of its documented type. */
  drift(service: ServiceName, place: string): void;
  /** One answered request of a client. */
  request(answered: { readonly status: number; readonly ms: number }): void;
  /** How it was answered: `direct`, from what is kept; or why not, from a closed list of words. */
  answered(way: string): void;
  /** Reads the size of each cache of a place whenever figures are read. */
  readonly watchCaches: WatchCaches;
  /** All figures in Prometheus' text form. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Seconds: from a response of the cache to the longest request. */
const BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** A registry of its own, with the figures of the process. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const hits = createTally();
  const rows: Counter = new Counter({
    name: 'passerelle_upstream_calls_total',
    help: 'Calls that the graph needed from a service, by how they were answered.',
    labelNames: ['service', 'method', 'path', 'outcome', 'status', 'error'],
    registers,
    collect: () => hits.flush(rows),
  });
  const sent = new Counter({
    name: 'passerelle_upstream_requests_total',
    help: 'Requests that went out to a service, retries included.',
    labelNames: ['service'],
    registers,
  });
  const duration = createTimes({
    name: 'passerelle_upstream_duration_seconds',
    help: 'Time until a call was answered, made or spared.',
    buckets: BUCKETS,
  });
  const drifts = new Counter({
    name: 'passerelle_drift_total',
    help: 'Values of a service that are not of their documented type.',
    labelNames: ['service', 'place'],
    registers,
  });
  const requests = createTimes({
    name: 'passerelle_request_duration_seconds',
    help: 'Time until a request of a client was answered, by HTTP status.',
    buckets: BUCKETS,
  });
  const requestsByWay = createTally();
  const ways: Counter = new Counter({
    name: 'passerelle_requests_answered_total',
    help: 'Requests of clients by the way they were answered: direct from what is kept, or why not.',
    labelNames: ['way'],
    registers,
    collect: () => requestsByWay.flush(ways),
  });
  register.registerMetric(duration.metric);
  register.registerMetric(requests.metric);
  return {
    upstreamCall(row) {
      const { service, method, path, cache: outcome, sent: times = 0 } = row;
      duration.observe(`${service} ${outcome}`, () => ({ service, outcome }), row.ms / 1000);
      const labels = () => ({
        service,
        method,
        path,
        outcome,
        status: row.status ?? 'none',
        error: row.error ?? 'none',
      });
      // Hits come by the thousand, and never went out.
      if (outcome === 'HIT' && row.error === undefined) return hits.add(`${service} ${method} ${path}`, labels);
      rows.inc(labels());
      sent.inc({ service }, times);
    },
    drift: (service, place) => drifts.inc({ service, place }),
    request: ({ status, ms }) => requests.observe(String(status), () => ({ status: String(status) }), ms / 1000),
    answered: (way) => requestsByWay.add(way, () => ({ way })),
    ...createSafelistMetrics(registers),
    watchCaches: createCacheGauges(registers),
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}
