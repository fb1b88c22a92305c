import type { Log } from '../../schema/log.js';
import type { Tracing } from '../../schema/tracing.js';

/** Where traces go, and what they say of this process. */
export interface TracingSettings {
  /** Base address of an OTLP receiver over HTTP. */
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of new traces that are sent, from 0 to 1; a trace of the caller's is sent as the caller says. */
  readonly ratio: number;
}

/** Opens tracing; null when there are no settings. Nothing of the library is loaded then. */
export async function openTracing(settings: TracingSettings | null, log: Log): Promise<Tracing | null> {
  if (settings === null) return null;
  const { createOtlpTracing } = await import('./otlp-tracing.js');
  return createOtlpTracing(settings, log);
}
