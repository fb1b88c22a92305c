import { Gauge, type Registry } from 'prom-client';
import type { ServiceName, SourceState, UpstreamMode } from '../../schema/services.js';
import type { SourceFigures } from '../../schema/source-figures.js';

/** A source as this process knows it, without an upstream call. */
export interface WatchedSource {
  readonly name: ServiceName;
  readonly state: SourceState;
  readonly upstream: UpstreamMode | 'unknown';
  /** Figures that a caller without a key sees; absent if another process has them. */
  readonly figures?: SourceFigures;
}

/** Gauges of the sources and of the store that replicas share. */
export interface SourceGauges {
  /** Reads these sources whenever metrics are read. */
  watchSources(read: () => readonly WatchedSource[]): void;
  /** Reads whether the shared store is reachable whenever metrics are read. */
  watchStore(isReachable: () => boolean): void;
}

/** From best to worst. */
const STATES = ['UP', 'LOADING', 'DEGRADED', 'DOWN', 'OFF'] as const satisfies readonly SourceState[];

/** Creates gauges of the configured sources, which are read only when metrics are. */
export function createSourceGauges(registers: Registry[]): SourceGauges {
  const readers: (() => readonly WatchedSource[])[] = [];
  const watched = () => readers.flatMap((read) => read()).filter(({ upstream }) => upstream !== 'off');
  const gauge = (name: string, help: string, labelNames: string[], set: (gauge: Gauge, of: WatchedSource) => void) => {
    const made: Gauge = new Gauge({
      ...{ name, help, labelNames, registers },
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
      const seconds = secondsOf(figures?.exportLoadedAt);
      if (seconds !== null) dates.set({ service }, seconds);
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
function secondsOf(date: string | null | undefined): number | null {
  if (date === undefined) return null;
  const ms = date === null ? 0 : Date.parse(date);
  return Number.isNaN(ms) ? null : ms / 1000;
}
