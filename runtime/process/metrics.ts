import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CACHES, type CacheName, type CachePlace, type WatchCaches } from '../../kernel/caches.js';
import { instantOf } from '../../kernel/dates.js';
import { OUTAGES } from '../../kernel/errors.js';
import type { ServiceName, SourceState, UpstreamMode } from '../../kernel/services.js';
import type { DriftKind, SourceFigures } from '../../kernel/source-figures.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { type Role, VERSION } from '../configuration/role.js';

/**
 * Metrics for Prometheus. Labels are bounded: services, path templates, codes, the first names of operations; never
 * another value of a caller.
 */
export interface Metrics {
  /** Records one answered request of a client. */
  request(answered: {
    readonly status: number;
    readonly ms: number;
    /** As the client named it. */
    readonly operation?: string | undefined;
    /** One of a closed list of words; absent for a request that never became an operation. */
    readonly outcome?: string;
  }): void;
  /**
   * Records how a request was answered, and why it was executed, both from closed lists of words; the reason is empty
   * for what was answered from memory.
   */
  answered(way: string, reason: string): void;
  /** Counts one recorded call: sent, or served without being sent. */
  upstreamCall(row: UpstreamCall): void;
  /** Counts a value of a service that is not as documented. */
  drift(service: ServiceName, place: string, kind: DriftKind): void;
  /** Compares the calls of a request that were estimated for its client with those that it made. */
  calls(compared: { readonly estimated: number; readonly made: number }): void;
  /** Records the safelist that this process uses. */
  safelist(list: { readonly hash: string; readonly mode: string; readonly operations: number }): void;
  /** Counts its decision on an operation, from a closed list of words. */
  safelisted(outcome: string): void;
  /** Counts a preflight that was refused. */
  preflightRefused(): void;
  /** Reads these sources whenever metrics are read. */
  watchSources(read: () => readonly WatchedSource[]): void;
  /** Fetches what an operator may know of these sources, whenever it is read. */
  reportSources(fetch: () => Promise<object>): void;
  /** The report; null in a process that has none. */
  sources(): Promise<object> | null;
  /** Reads whether the shared store is reachable whenever metrics are read. */
  watchStore(isReachable: () => boolean): void;
  /** Reads the size of each cache whenever metrics are read. */
  readonly watchCaches: WatchCaches;
  /** Reads how many lines of the log were dropped so far whenever metrics are read. */
  watchLog(dropped: () => number): void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** A source as this process knows it, without an upstream call. */
interface WatchedSource {
  readonly name: ServiceName;
  readonly state: SourceState;
  readonly upstream: UpstreamMode | 'unknown';
  /** Figures that a caller without a key sees; absent if another process has them. */
  readonly figures?: SourceFigures;
}

/** Creates metrics in a registry of their own, with the default metrics of the process, whose role is a label of one. */
export function createMetrics(role: Role = 'all'): Metrics {
  const register = new Registry();
  collectDefaultMetrics({ register });
  new Gauge({
    name: 'passerelle_build_info',
    help: 'Always 1; its labels are the version of the program, its role and the version of Node.',
    labelNames: ['version', 'role', 'node'],
    registers: [register],
  }).set({ version: VERSION, role, node: process.version }, 1);
  let fetchSources: (() => Promise<object>) | null = null;
  return {
    ...requestMetrics([register]),
    ...upstreamMetrics([register]),
    ...priceMetrics([register]),
    ...safelistMetrics([register]),
    ...sourceMetrics([register]),
    watchCaches: cacheMetrics([register]),
    watchLog: logMetrics([register]),
    reportSources(fetch) {
      fetchSources = fetch;
    },
    sources: () => fetchSources?.() ?? null,
    text: () => register.metrics(),
    contentType: register.contentType,
  };
}

/** Seconds: from a cached response to the longest request. */
const DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];

/** Requests of clients. */
function requestMetrics(registers: Registry[]): Pick<Metrics, 'request' | 'answered' | 'preflightRefused'> {
  const buckets = DURATION_BUCKETS;
  const requests = new Histogram({
    name: 'passerelle_request_duration_seconds',
    help: 'Time until a client request was answered, by HTTP status.',
    labelNames: ['status'],
    ...{ buckets, registers },
  });
  const operations = new Histogram({
    name: 'passerelle_operation_duration_seconds',
    help: 'Time until an operation was answered, by its name and its outcome: ok, partial, failed, refused.',
    labelNames: ['operation', 'outcome'],
    ...{ buckets, registers },
  });
  const labelOf = createOperationLabels();
  const ways = new Counter({
    name: 'passerelle_requests_answered_total',
    help: 'Client requests by the way they were answered, and by the reason why they were executed.',
    labelNames: ['way', 'reason'],
    registers,
  });
  const preflights = new Counter({
    name: 'passerelle_preflights_refused_total',
    help: 'Preflights that were refused: for an origin that is not in CORS_ORIGINS, or a header that pages may not send.',
    labelNames: ['reason'],
    registers,
  });
  return {
    request({ status, ms, operation, outcome }) {
      requests.observe({ status }, ms / 1000);
      if (outcome !== undefined) operations.observe({ operation: labelOf(operation), outcome }, ms / 1000);
    },
    answered: (way, reason) => ways.inc({ way, reason }),
    preflightRefused: () => preflights.inc({ reason: 'origin' }),
  };
}

/** Clients choose operation names: the first of them have a label of their own. */
const MAX_OPERATIONS = 200;
const MAX_LABEL = 100;

/** The label of an operation: its name, `unnamed`, or `other` for what is no name or comes after so many others. */
function createOperationLabels(): (name: string | undefined) => string {
  const labels = new Set<string>(['unnamed']);
  return (name = 'unnamed') => {
    const label = name.slice(0, MAX_LABEL);
    if (labels.has(label)) return label;
    // Anything else is no GraphQL name, and comes from a request that was refused.
    if (labels.size > MAX_OPERATIONS || !/^[_A-Za-z]\w*$/.test(label)) return 'other';
    labels.add(label);
    return label;
  };
}

/** Calls to services, sent and saved, and what they sent that is not documented. */
function upstreamMetrics(registers: Registry[]): Pick<Metrics, 'upstreamCall' | 'drift'> {
  const buckets = DURATION_BUCKETS;
  /** Rows of one kind since the last scrape: one request has a hundred, and the counter takes 2 microseconds for each. */
  const rows = new Map<string, { readonly labels: Record<string, string | number>; times: number }>();
  const needed: Counter = new Counter({
    name: 'passerelle_upstream_calls_total',
    help: 'Calls that the graph needed from a service, by how they were answered.',
    labelNames: ['service', 'method', 'path', 'outcome', 'status', 'error'],
    registers,
    collect() {
      for (const { labels, times } of rows.values()) needed.inc(labels, times);
      rows.clear();
    },
  });
  const duration = new Histogram({
    name: 'passerelle_upstream_duration_seconds',
    help: 'Time until a call was answered that no fresh entry of the cache answered.',
    labelNames: ['service', 'outcome'],
    ...{ buckets, registers },
  });
  const queued = new Histogram({
    name: 'passerelle_upstream_queue_seconds',
    help: 'Time that calls waited for the quota and for a slot, among those that waited.',
    labelNames: ['service'],
    ...{ buckets, registers },
  });
  const drifts = new Counter({
    name: 'passerelle_drift_total',
    help: 'Values of a service that differ from its documentation: another form, an undocumented word, a malformed code.',
    labelNames: ['service', 'place', 'kind'],
    registers,
  });
  const countSent = sentCallMetrics(registers);
  return {
    upstreamCall(row) {
      const { service, method, path, cache: outcome } = row;
      const [status, error] = [row.status ?? 'none', row.error ?? 'none'];
      const kind = `${service} ${method} ${path} ${outcome} ${status} ${error}`;
      const counted = rows.get(kind);
      if (counted === undefined)
        rows.set(kind, { labels: { service, method, path, outcome, status, error }, times: 1 });
      else counted.times += 1;
      if (outcome === 'HIT') return;
      duration.observe({ service, outcome }, row.ms / 1000);
      if (row.queuedMs !== undefined) queued.observe({ service }, row.queuedMs / 1000);
      countSent(row);
    },
    drift: (service, place, kind) => drifts.inc({ service, place, kind }),
  };
}

/** Counts requests sent, and sent calls by their result: calls that were not sent say nothing about the service. */
function sentCallMetrics(registers: Registry[]): (row: UpstreamCall) => void {
  const requests = new Counter({
    name: 'passerelle_upstream_requests_total',
    help: 'Requests sent to a service, retries included.',
    labelNames: ['service'],
    registers,
  });
  const ended = new Counter({
    name: 'passerelle_upstream_sent_calls_total',
    help: 'Calls sent to a service that have ended, by whether it answered or failed, even if a stale entry was served instead.',
    labelNames: ['service', 'result'],
    registers,
  });
  return (row) => {
    const { service } = row;
    requests.inc({ service }, row.sent ?? 0);
    const result = resultOf(row);
    if (result !== null) ended.inc({ service, result });
  };
}

/** Null for a call that was not sent, and for one whose end nobody waited for. */
function resultOf({ sent = 0, error, stale, status }: UpstreamCall): 'answered' | 'failed' | null {
  if (sent === 0) return null;
  if (OUTAGES.has(error) || stale?.reason === 'OUTAGE') return 'failed';
  return status === null || stale?.reason === 'SLOW' ? null : 'answered';
}

/** Estimated calls minus calls made. */
const DIFFERENCE_BUCKETS = [-10, -1, 0, 1, 5, 10, 50, 100, 500];

/** Prices of requests. */
function priceMetrics(registers: Registry[]): Pick<Metrics, 'calls'> {
  const estimates = new Counter({
    name: 'passerelle_calls_estimated_total',
    help: 'Upstream calls estimated for clients that asked for them with their response.',
    registers,
  });
  const made = new Counter({
    name: 'passerelle_calls_made_total',
    help: 'Upstream calls that these requests made.',
    registers,
  });
  const difference = new Histogram({
    name: 'passerelle_calls_difference',
    help: 'Upstream calls estimated for a request, minus those that it made.',
    buckets: DIFFERENCE_BUCKETS,
    registers,
  });
  return {
    calls({ estimated, made: count }) {
      estimates.inc(estimated);
      made.inc(count);
      difference.observe(estimated - count);
    },
  };
}

/** The safelist, and its decisions. */
function safelistMetrics(registers: Registry[]): Pick<Metrics, 'safelist' | 'safelisted'> {
  const decisions = new Counter({
    name: 'passerelle_safelist_decisions_total',
    help: 'Operations by the decision of the safelist: allowed, refused, or logged and run.',
    labelNames: ['outcome'],
    registers,
  });
  const operations = new Gauge({
    name: 'passerelle_safelist_operations',
    help: 'Operations on the safelist, by the SHA-256 of its manifest: replicas should agree.',
    labelNames: ['hash', 'mode'],
    registers,
  });
  return {
    safelist: (list) => operations.set({ hash: list.hash, mode: list.mode }, list.operations),
    safelisted: (outcome) => decisions.inc({ outcome }),
  };
}

/** From best to worst. */
const STATES = ['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF'] as const satisfies readonly SourceState[];

/** The configured sources, and the store that replicas share; both are read only when metrics are. */
function sourceMetrics(registers: Registry[]): Pick<Metrics, 'watchSources' | 'watchStore'> {
  const readers: (() => readonly WatchedSource[])[] = [];
  const watched = () => readers.flatMap((read) => read()).filter(({ upstream }) => upstream !== 'off');
  const gauge = (name: string, help: string, labelNames: string[], set: (gauge: Gauge, of: WatchedSource) => void) => {
    const made: Gauge = new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        made.reset();
        for (const source of watched()) set(made, source);
      },
    });
  };
  gauge(
    'passerelle_source_state',
    'State of each source that is configured: 1 for the one that it is in, 0 for the others.',
    ['service', 'state'],
    (states, { name: service, state: now }) => {
      for (const state of STATES) states.set({ service, state }, state === now ? 1 : 0);
    },
  );
  const quotas = ['service', 'scope'];
  gauge(
    'passerelle_quota_remaining',
    "Calls that a service last reported to be left for the operator's key; all of them once the window is over.",
    quotas,
    (left, { name: service, figures }) => {
      for (const { scope, remaining } of figures?.quotas ?? []) left.set({ service, scope }, remaining);
    },
  );
  gauge(
    'passerelle_quota_limit',
    "Calls of a window that a service last reported for the operator's key.",
    quotas,
    (limits, { name: service, figures }) => {
      for (const { scope, limit } of figures?.quotas ?? []) limits.set({ service, scope }, limit);
    },
  );
  gauge(
    'passerelle_export_timestamp_seconds',
    'Date that a service gives the export in use, in seconds since 1970; 0 before the first.',
    ['service'],
    (dates, { name: service, figures }) => {
      const seconds = exportSecondsOf(figures?.exportLoadedAt);
      if (seconds !== null) dates.set({ service }, seconds);
    },
  );
  gauge(
    'passerelle_key_expiry_timestamp_seconds',
    "When the operator's key for a service ends, as the key itself says, in seconds since 1970.",
    ['service'],
    (ends, { name: service, figures }) => {
      if (figures?.keyEndsSeconds !== undefined) ends.set({ service }, figures.keyEndsSeconds);
    },
  );
  return {
    watchSources: (read) => void readers.push(read),
    watchStore(isReachable) {
      const store: Gauge = new Gauge({
        name: 'passerelle_store_reachable',
        help: 'Whether the store that replicas share (CACHE_URL) is reachable: 1 or 0.',
        registers,
        collect: () => store.set(isReachable() ? 1 : 0),
      });
    },
  };
}

/** Null if the source has no export, or its date cannot be parsed; 0 before the first export. */
function exportSecondsOf(date: string | null | undefined): number | null {
  if (date === undefined) return null;
  const ms = date === null ? 0 : instantOf(date);
  return Number.isNaN(ms) ? null : ms / 1000;
}

interface Watched {
  readonly labels: { readonly cache: CacheName; readonly where: CachePlace };
  bytes(): number;
}

/** Gauges of all caches and their bounds. A cache's size is computed only when the gauge is read. */
function cacheMetrics(registers: Registry[]): WatchCaches {
  const watched = new Map<string, Watched>();
  const labelNames = ['cache', 'where'];
  const held = new Gauge({
    name: 'passerelle_cache_bytes',
    help: 'Estimated bytes of heap that a cache takes.',
    labelNames,
    registers,
    collect() {
      for (const { labels, bytes } of watched.values()) held.set(labels, bytes());
    },
  });
  const bound = new Gauge({
    name: 'passerelle_cache_bound_bytes',
    help: 'Bytes of heap that a cache may take.',
    labelNames,
    registers,
  });
  return (where) => (cache, bytes) => {
    const labels = { cache, where };
    watched.set(`${where} ${cache}`, { labels, bytes });
    bound.set(labels, CACHES[cache].boundBytes);
  };
}

/** Lines of the log that were dropped. */
function logMetrics(registers: Registry[]): Metrics['watchLog'] {
  return (dropped) => {
    const lines: Counter = new Counter({
      name: 'passerelle_log_lines_dropped_total',
      help: 'Lines of the log that were dropped because standard output was full, slow or not read.',
      registers,
      collect() {
        lines.reset();
        lines.inc(dropped());
      },
    });
  };
}
