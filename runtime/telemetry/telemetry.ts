import type { Log, Tracing } from '../../kernel/log.js';

/** Where traces are sent, and how they name this process. */
export interface TracingSettings {
  /** Base address of an OTLP receiver over HTTP. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of new traces that are sent, from 0 to 1; for a trace that a caller started, the caller decides. */
  readonly ratio: number;
}

/** Opens tracing; null without settings, in which case the library is not loaded. */
export async function openTracing(settings: TracingSettings | null, log: Log): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.js');
  return createOtlpTracing(settings, log);
}

/**
 * Keeps @apollo/gateway from phoning home: from the moment a gateway is constructed, it sends metrics to its vendor and
 * queries the cloud's metadata service for our identity. Call this before that.
 */
export function disableApolloTelemetry(): void {
  // biome-ignore lint/style/noProcessEnv: the library's only switch is this variable.
  process.env['APOLLO_TELEMETRY_DISABLED'] = '1';
}
