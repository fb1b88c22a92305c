import { Counter, collectDefaultMetrics, Registry } from 'prom-client';
import type { WatchCaches } from '../../schema/caches.js';
import type { ServiceName } from '../../schema/services.js';
import type { DriftKind } from '../../schema/source-figures.js';
import type { UpstreamCall } from '../../schema/trace.js';
import { createCacheGauges } from './cache-gauges.js';
import { createCounterBatch } from './counter-batch.js';
import { createHistogram, DURATION_BUCKETS } from './histogram.js';
import { createLogMetrics, type LogMetrics } from './log-metrics.js';
import { createPriceMetrics, type PriceMetrics } from './price-metrics.js';
import { createRequestFigures, type RequestFigures } from './request-metrics.js';
import { createSafelistMetrics, type SafelistMetrics } from './safelist-metrics.js';
import { createSentCalls } from './sent-calls.js';
import { createSourceGauges, type SourceGauges } from './source-gauges.js';

/** Metrics for Prometheus. Labels are bounded: services, path templates, codes; never a caller's value. */
export interface Metrics extends RequestFigures, SafelistMetrics, PriceMetrics, SourceGauges, LogMetrics {
  /** Counts one recorded call: sent, or served without being sent. */
  upstreamCall(row: UpstreamCall): void;
  /** Counts a value of a service that is not as documented. */
  drift(service: ServiceName, place: string, kind: DriftKind): void;
  /** Reads the size of each cache whenever metrics are read. */
  readonly watchCaches: WatchCaches;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Creates metrics in a registry of their own, with the default metrics of the process. */
export function createMetrics(): Metrics {
  const register = new Registry();
  const registers = [register];
  collectDefaultMetrics({ register });
  const needed = createCounterBatch();
  const rows: Counter = new Counter({
    name: 'passerelle_upstream_calls_total',
    help: 'Calls that the graph needed from a service, by how they were answered.',
    labelNames: ['service', 'method', 'path', 'outcome', 'status', 'error'],
    registers,
    collect: () => needed.flush(rows),
  });
  const duration = createHistogram({
    name: 'passerelle_upstream_duration_seconds',
    help: 'Time until a call was answered, whether it was sent or saved.',
    labelNames: ['service', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
  const queued = createHistogram({
    name: 'passerelle_upstream_queue_seconds',
    help: 'Time that calls waited for the quota and for a slot, among those that waited.',
    labelNames: ['service'],
    buckets: DURATION_BUCKETS,
  });
  register.registerMetric(queued.metric);
  const drifts = new Counter({
    name: 'passerelle_drift_total',
    help: 'Values of a service that differ from its documentation: another form, an undocumented word, a malformed code.',
    labelNames: ['service', 'place', 'kind'],
    registers,
  });
  register.registerMetric(duration.metric);
  const countSent = createSentCalls(registers);
  const hitOf = createHits();

  /** Hits come by the thousand and were never sent: a hit is two counts and creates no objects. */
  function countHit(row: UpstreamCall): void {
    const hit = hitOf(row);
    duration.observe(row.ms / 1000, row.service, row.cache);
    needed.add(hit.key, hit.labels);
  }

  return {
    upstreamCall(row) {
      if (row.cache === 'HIT' && row.error === undefined && row.queuedMs === undefined) return countHit(row);
      const { service, method, path, cache: outcome } = row;
      if (row.queuedMs !== undefined) queued.observe(row.queuedMs / 1000, service);
      duration.observe(row.ms / 1000, service, outcome);
      const [status, error] = [row.status ?? 'none', row.error ?? 'none'];
      const key = `${service} ${method} ${path} ${outcome} ${status} ${error}`;
      needed.add(key, () => ({ service, method, path, outcome, status, error }));
      countSent(row);
    },
    drift: (service, place, kind) => drifts.inc({ service, place, kind }),
    ...createRequestFigures(register),
    ...createSafelistMetrics(registers),
    ...createPriceMetrics(registers),
    ...createSourceGauges(registers),
    ...createLogMetrics(registers),
    watchCaches: createCacheGauges(registers),
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** The keys and labels under which the hits of one path are counted. */
interface Hit {
  readonly service: ServiceName;
  readonly method: string;
  readonly key: string;
  labels(): Record<string, string | number>;
}

/** Finds the keys and labels of a hit: they are created for the first one. */
function createHits(): (row: UpstreamCall) => Hit {
  const byPath = new Map<string, Hit[]>();
  return (row) => {
    const { service, method, path, cache: outcome } = row;
    const known = byPath.get(path) ?? [];
    for (const hit of known) if (hit.service === service && hit.method === method) return hit;
    const labels = { service, method, path, outcome, status: row.status ?? 'none', error: 'none' };
    const hit: Hit = {
      ...{ service, method },
      key: `${service} ${method} ${path}`,
      labels: () => labels,
    };
    byPath.set(path, [...known, hit]);
    return hit;
  };
}
