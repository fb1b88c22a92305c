import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { CACHES, type WatchCaches } from '../../kernel/caches.js';
import { instantOf } from '../../kernel/dates.js';
import { OUTAGES } from '../../kernel/errors.js';
import { type ServiceName, SOURCE_STATES, type SourceState, type UpstreamMode } from '../../kernel/services.js';
import type { DriftKind, SourceFigures } from '../../kernel/source-figures.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import { type Role, VERSION } from '../configuration/role.js';

/** A source as this process knows it, without an upstream call. */
interface WatchedSource {
  readonly name: ServiceName;
  readonly state: SourceState;
  readonly upstream: UpstreamMode | 'unknown';
  /** Figures that a caller without a key sees; absent if another process has them. */
  readonly figures?: SourceFigures;
}

/** Seconds: from a cached response to the longest request. */
const DURATION_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25];
/** Estimated calls minus calls made. */
const DIFFERENCE_BUCKETS = [-10, -1, 0, 1, 5, 10, 50, 100, 500];

/**
 * Metrics for Prometheus, in a registry of their own. Labels are bounded: services, path templates, codes, the first
 * names of operations; never another value of a caller. What they watch is read whenever they are.
 */
export class Metrics {
  readonly #registry = new Registry();
  /** Called before metrics are read; what is watched anew under a name takes the place of what was. */
  readonly #updates = new Map([
    ['calls', () => this.#updateCalls()],
    ['sources', () => this.#updateSources()],
  ]);

  /** Starts with the default metrics of the process, whose role is a label of one. */
  constructor(role: Role = 'all') {
    collectDefaultMetrics({ register: this.#registry });
    this.#gauge(
      'passerelle_build_info{version,role,node}',
      'Always 1; its labels are the version of the program, its role and the version of Node.',
    ).set({ version: VERSION, role, node: process.version }, 1);
  }

  /** All metrics in Prometheus' text format. */
  async text(): Promise<string> {
    for (const update of this.#updates.values()) update();
    return this.#registry.metrics();
  }

  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;

  #counter(series: string, help: string): Counter {
    return new Counter({ ...namesIn(series), help, registers: [this.#registry] });
  }

  #gauge(series: string, help: string): Gauge {
    return new Gauge({ ...namesIn(series), help, registers: [this.#registry] });
  }

  #histogram(series: string, help: string, buckets = DURATION_BUCKETS): Histogram {
    return new Histogram({ ...namesIn(series), help, buckets, registers: [this.#registry] });
  }

  readonly #requests = this.#histogram(
    'passerelle_request_duration_seconds{status}',
    'Time until a client request was answered, by HTTP status.',
  );
  readonly #operations = this.#histogram(
    'passerelle_operation_duration_seconds{operation,outcome}',
    'Time until an operation was answered, by its name and its outcome: ok, partial, failed, refused.',
  );
  readonly #operationLabel = createOperationLabels();

  /**
   * Records one answered request of a client: `operation` is the name that the client gave it, `outcome` one of a closed
   * list of words, absent for a request that never became an operation.
   */
  request(answered: { status: number; ms: number; operation?: string | undefined; outcome?: string }): void {
    const { status, ms, operation, outcome } = answered;
    this.#requests.observe({ status }, ms / 1000);
    if (outcome === undefined) return;
    this.#operations.observe({ operation: this.#operationLabel(operation), outcome }, ms / 1000);
  }

  readonly #ways = this.#counter(
    'passerelle_requests_answered_total{way,reason}',
    'Client requests by the way they were answered, and by the reason why they were executed.',
  );

  /**
   * Records how a request was answered, and why it was executed, both from closed lists of words; the reason is empty
   * for what was answered from memory.
   */
  answered(way: string, reason: string): void {
    this.#ways.inc({ way, reason });
  }

  readonly #preflights = this.#counter(
    'passerelle_preflights_refused_total{reason}',
    'Preflights that were refused, for an origin that is not in CORS_ORIGINS.',
  );

  /** Counts a preflight that was refused. */
  preflightRefused(): void {
    this.#preflights.inc({ reason: 'origin' });
  }

  readonly #calls = this.#counter(
    'passerelle_upstream_calls_total{service,method,path,outcome,status,error}',
    'Calls that the graph needed from a service, by how they were answered.',
  );
  readonly #callDuration = this.#histogram(
    'passerelle_upstream_duration_seconds{service,outcome}',
    'Time until a call was answered that no fresh entry of the cache answered.',
  );
  readonly #queued = this.#histogram(
    'passerelle_upstream_queue_seconds{service}',
    'Time that calls waited for the quota and for a slot, among those that waited.',
  );
  readonly #sent = this.#counter(
    'passerelle_upstream_requests_total{service}',
    'Requests sent to a service, retries included.',
  );
  readonly #ended = this.#counter(
    'passerelle_upstream_sent_calls_total{service,result}',
    'Calls sent to a service that have ended, by whether it answered or failed, even if a stale entry was served instead.',
  );
  /** Calls of one kind since the last scrape: one request has a hundred, and the counter takes 2 microseconds for each. */
  readonly #callsByKind = new Map<string, { readonly labels: Record<string, string | number>; times: number }>();

  /** Counts one recorded call: sent, or served without being sent, which says nothing about the service. */
  upstreamCall(row: UpstreamCall): void {
    const { service, method, path, cache: outcome, status, error = 'none', sent = 0, ms, queuedMs } = row;
    const kind = `${service} ${method} ${path} ${outcome} ${status} ${error}`;
    const counted = this.#callsByKind.get(kind);
    if (counted !== undefined) counted.times += 1;
    else {
      const labels = { service, method, path, outcome, status: status ?? 'none', error };
      this.#callsByKind.set(kind, { labels, times: 1 });
    }
    if (outcome === 'HIT') return;
    this.#callDuration.observe({ service, outcome }, ms / 1000);
    if (queuedMs !== undefined) this.#queued.observe({ service }, queuedMs / 1000);
    this.#sent.inc({ service }, sent);
    const result = resultOf(row);
    if (result !== null) this.#ended.inc({ service, result });
  }

  #updateCalls(): void {
    for (const { labels, times } of this.#callsByKind.values()) this.#calls.inc(labels, times);
    this.#callsByKind.clear();
  }

  readonly #drifts = this.#counter(
    'passerelle_drift_total{service,place,kind}',
    'Values of a service that differ from its documentation: another form, an undocumented word, a malformed code.',
  );

  /** Counts a value of a service that is not as documented. */
  drift(service: ServiceName, place: string, kind: DriftKind): void {
    this.#drifts.inc({ service, place, kind });
  }

  readonly #estimated = this.#counter(
    'passerelle_calls_estimated_total',
    'Upstream calls estimated for clients that asked for them with their response.',
  );
  readonly #made = this.#counter('passerelle_calls_made_total', 'Upstream calls that these requests made.');
  readonly #difference = this.#histogram(
    'passerelle_calls_difference',
    'Upstream calls estimated for a request, minus those that it made.',
    DIFFERENCE_BUCKETS,
  );

  /** Compares the calls of a request that were estimated for its client with those that it made. */
  calls({ estimated, made }: { readonly estimated: number; readonly made: number }): void {
    this.#estimated.inc(estimated);
    this.#made.inc(made);
    this.#difference.observe(estimated - made);
  }

  readonly #safelistOperations = this.#gauge(
    'passerelle_safelist_operations{hash,mode}',
    'Operations on the safelist, by the SHA-256 of its manifest: replicas should agree.',
  );
  readonly #safelistDecisions = this.#counter(
    'passerelle_safelist_decisions_total{outcome}',
    'Operations by the decision of the safelist: allowed, refused, or logged and run.',
  );

  /** Records the safelist that this process uses. */
  safelist({ hash, mode, operations }: { readonly hash: string; readonly mode: string; readonly operations: number }) {
    this.#safelistOperations.set({ hash, mode }, operations);
  }

  /** Counts its decision on an operation, from a closed list of words. */
  safelisted(outcome: string): void {
    this.#safelistDecisions.inc({ outcome });
  }

  readonly #sources: (() => readonly WatchedSource[])[] = [];
  readonly #states = this.#gauge(
    'passerelle_source_state{service,state}',
    'State of each source that is configured: 1 for the one that it is in, 0 for the others.',
  );
  readonly #remaining = this.#gauge(
    'passerelle_quota_remaining{service,scope}',
    "Calls that a service last reported to be left for the operator's key; all of them once the window is over.",
  );
  readonly #limits = this.#gauge(
    'passerelle_quota_limit{service,scope}',
    "Calls of a window that a service last reported for the operator's key.",
  );
  readonly #exportDates = this.#gauge(
    'passerelle_export_timestamp_seconds{service}',
    'Date that a service gives the export in use, in seconds since 1970; 0 before the first.',
  );
  readonly #keyEnds = this.#gauge(
    'passerelle_key_expiry_timestamp_seconds{service}',
    "When the operator's key for a service ends, as the key itself says, in seconds since 1970.",
  );

  /** Watches these sources. */
  watchSources(read: () => readonly WatchedSource[]): void {
    this.#sources.push(read);
  }

  #updateSources(): void {
    for (const gauge of [this.#states, this.#remaining, this.#limits, this.#exportDates, this.#keyEnds]) gauge.reset();
    for (const { name: service, state: now, upstream, figures } of this.#sources.flatMap((read) => read())) {
      if (upstream === 'off') continue;
      for (const state of SOURCE_STATES) this.#states.set({ service, state }, state === now ? 1 : 0);
      for (const { scope, remaining, limit } of figures?.quotas ?? []) {
        this.#remaining.set({ service, scope }, remaining);
        this.#limits.set({ service, scope }, limit);
      }
      const exported = exportSecondsOf(figures?.exportLoadedAt);
      if (exported !== null) this.#exportDates.set({ service }, exported);
      if (figures?.keyEndsSeconds !== undefined) this.#keyEnds.set({ service }, figures.keyEndsSeconds);
    }
  }

  /** Fetches what an operator may know of the sources of this process; null in one that reports none. */
  sources: () => Promise<object> | null = () => null;

  /** Watches whether the shared store is reachable. */
  watchStore(isReachable: () => boolean): void {
    const store = this.#gauge(
      'passerelle_store_reachable',
      'Whether the store that replicas share (CACHE_URL) is reachable: 1 or 0.',
    );
    this.#updates.set('store', () => store.set(isReachable() ? 1 : 0));
  }

  readonly #cacheBytes = this.#gauge(
    'passerelle_cache_bytes{cache,where}',
    'Estimated bytes of heap that a cache takes.',
  );
  readonly #cacheBounds = this.#gauge(
    'passerelle_cache_bound_bytes{cache,where}',
    'Bytes of heap that a cache may take.',
  );

  /** Watches the size of each cache. */
  readonly watchCaches: WatchCaches = (where) => (cache, bytes) => {
    this.#cacheBounds.set({ cache, where }, CACHES[cache].boundBytes);
    this.#updates.set(`${where} ${cache}`, () => this.#cacheBytes.set({ cache, where }, bytes()));
  };

  /** Watches how many lines of the log were dropped so far. */
  watchLog(dropped: () => number): void {
    const lines = this.#counter(
      'passerelle_log_lines_dropped_total',
      'Lines of the log that were dropped because standard output was full, slow or not read.',
    );
    this.#updates.set('log', () => {
      lines.reset();
      lines.inc(dropped());
    });
  }
}

/** The names of a metric and of its labels, written as Prometheus writes them: `name{label,label}`. */
function namesIn(series: string): { readonly name: string; readonly labelNames: string[] } {
  const [name = '', ...labelNames] = series.match(/\w+/g) ?? [];
  return { name, labelNames };
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

/** Null for a call that was not sent, and for one whose end nobody waited for. */
function resultOf({ sent = 0, error, stale, status }: UpstreamCall): 'answered' | 'failed' | null {
  if (sent === 0) return null;
  if (OUTAGES.has(error) || stale?.reason === 'OUTAGE') return 'failed';
  return status === null || stale?.reason === 'SLOW' ? null : 'answered';
}

/** Null if the source has no export, or its date cannot be parsed; 0 before the first export. */
function exportSecondsOf(date: string | null | undefined): number | null {
  if (date === undefined) return null;
  const ms = date === null ? 0 : instantOf(date);
  return Number.isNaN(ms) ? null : ms / 1000;
}
