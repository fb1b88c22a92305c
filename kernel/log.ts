/**
 * Where a room logs its events, one line each, fields first; pino's loggers fit. No field may contain a key, a token, a
 * code or a cookie.
 */
export interface Log {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** A log that nobody reads. */
export const SILENT: Log = { debug() {}, info() {}, warn() {}, error() {} };

const HOUR_MS = 3600_000;

/**
 * Creates the memory of what strangers name and the log repeats: it says whether a name is to be logged, which it is once
 * an hour, as long as that hour has fewer than so many names.
 */
export function createLoggedNames(most: number): (name: string) => boolean {
  const logged = new Set<string>();
  let clearedAtMs = performance.now();
  return (name) => {
    if (performance.now() - clearedAtMs >= HOUR_MS) {
      logged.clear();
      clearedAtMs = performance.now();
    }
    if (logged.has(name) || logged.size >= most) return false;
    logged.add(name);
    return true;
  };
}

/** Attributes of a span: figures and words from closed lists, never a caller's values. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** W3C trace context of a request; both are undefined if it is part of no trace. */
export interface TraceContext {
  readonly traceparent: string | undefined;
  /** What other tracers have added to the trace, as long as they are listed with it. */
  readonly tracestate: string | undefined;
}

/** A span of a distributed trace, from its start until it is ended. Its trace context is for calls made within it. */
export interface Span extends TraceContext {
  readonly traceparent: string;
  /** Starts a child span now. */
  child(name: string, attributes?: SpanAttributes): Span;
  /** `error` is the code that it failed with. */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** Starts traces, or continues those of callers. */
export interface Tracing {
  /** `parent` is what the caller sent, as far as it is well-formed; `startMs` is in milliseconds since 1970. */
  start(name: string, parent: TraceContext, startMs?: number): Span;
  /** Sends the spans not yet sent. */
  close(): Promise<void>;
}

/** The trace that a W3C trace context belongs to. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}

/** The headers that make a request part of a trace. */
export function traceHeaders({ traceparent, tracestate }: Span): Readonly<Record<string, string>> {
  return tracestate === undefined ? { traceparent } : { traceparent, tracestate };
}
