import {
  type Context,
  createTraceState,
  type Span as LibrarySpan,
  ROOT_CONTEXT,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  type SpanExporter,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { HttpsProxyAgent } from 'https-proxy-agent';
import { getProxyForUrl } from 'proxy-from-env';
import type { Log, Span, SpanAttributes, TraceContext, Tracing } from '../../kernel/log.js';
import { type Configuration, isLoopback } from '../configuration/configuration.js';
import { atMostEvery } from '../stores/redis.js';

/** Most spans of one request: a list of a thousand rows may read a thousand entries. */
const MAX_SPANS = 500;
/** A batch for a slower collector is dropped. */
const EXPORT_MS = 3_000;
/** Least time between two log lines saying that traces cannot be sent. */
const COMPLAINT_MS = 60_000;

/** Tracing that sends traces in batches, as JSON, to `/v1/traces` below the endpoint. */
export function createOtlpTracing(
  { endpoint, serviceName, ratio }: NonNullable<Configuration['otlp']>,
  log: Log,
): Tracing {
  const url = `${endpoint}/v1/traces`;
  // As for services: this machine is never called through a proxy.
  const proxy = isLoopback(new URL(url).hostname) ? '' : getProxyForUrl(url);
  const exporter = new OTLPTraceExporter({
    url,
    timeoutMillis: EXPORT_MS,
    ...(proxy !== '' && { httpAgentOptions: () => new HttpsProxyAgent(proxy, { keepAlive: true }) }),
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': serviceName }).merge(
      detectResources({ detectors: [envDetector] }),
    ),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) }),
    spanProcessors: [new BatchSpanProcessor({ exporter: complaining(exporter, log) })],
  });
  const tracer = provider.getTracer('passerelle');
  return {
    start(name, caller, startMs) {
      const parent = parentOf(caller);
      const context = parent === null ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
      const options = { kind: SpanKind.SERVER, ...(startMs !== undefined && { startTime: startMs }) };
      return wrap(tracer.startSpan(name, options, context), context, { tracer, left: MAX_SPANS });
    },
    close: () => provider.shutdown(),
  };
}

/** The root of a trace, and how many more spans it may have. */
interface Root {
  readonly tracer: Tracer;
  left: number;
}

function wrap(span: LibrarySpan, context: Context, root: Root): Span {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  const traceparent = `00-${traceId}-${spanId}-0${traceFlags & TraceFlags.SAMPLED}`;
  const tracestate = traceState?.serialize() || undefined;
  return {
    traceparent,
    tracestate,
    child(name, attributes = {}) {
      root.left -= 1;
      if (root.left < 0) return unrecorded(traceparent, tracestate);
      const within = trace.setSpan(context, span);
      const options = { kind: SpanKind.INTERNAL, attributes };
      return wrap(root.tracer.startSpan(name, options, within), within, root);
    },
    end(attributes: SpanAttributes = {}, error) {
      span.setAttributes(attributes);
      if (error !== undefined) span.setStatus({ code: SpanStatusCode.ERROR, message: error });
      span.end();
    },
  };
}

/** Replaces a span beyond the bound: calls within it belong to its parent. */
function unrecorded(traceparent: string, tracestate: string | undefined): Span {
  const span: Span = { traceparent, tracestate, child: () => span, end: () => {} };
  return span;
}

function parentOf({ traceparent, tracestate }: TraceContext): SpanContext | null {
  if (traceparent === undefined) return null;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const parent = { traceId, spanId, traceFlags: Number(flags) & TraceFlags.SAMPLED, isRemote: true };
  return tracestate === undefined ? parent : { ...parent, traceState: createTraceState(tracestate) };
}

function complaining(exporter: OTLPTraceExporter, log: Log): SpanExporter {
  const mayComplain = atMostEvery(COMPLAINT_MS);
  return {
    export: (spans, done) =>
      exporter.export(spans, (result) => {
        if (result.code !== 0 && mayComplain())
          log.warn({ spans: spans.length }, 'traces cannot be sent: they are dropped');
        done(result);
      }),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  };
}
