/** What a span says of itself: figures and closed words, never a value of a caller. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** A part of a distributed trace, from its start until it is ended. */
export interface Span {
  /** W3C trace context of the span, for what is called within it. */
  readonly traceparent: string;
  /** A part of this part, which starts now. */
  child(name: string, attributes?: SpanAttributes): Span;
  /** `error` is the code that it failed with. */
  end(attributes?: SpanAttributes, error?: string): void;
}

/** Starts the traces of a process, or continues those of its callers. */
export interface Tracing {
  /** `traceparent` is what the caller sent, if it is well-formed; `startMs` is in milliseconds since 1970. */
  start(name: string, traceparent: string | undefined, startMs?: number): Span;
  /** Sends what is left. */
  close(): Promise<void>;
}

/** The trace that a W3C trace context belongs to. */
export function traceIdOf(traceparent: string | undefined): string | undefined {
  return traceparent?.slice(3, 35);
}
