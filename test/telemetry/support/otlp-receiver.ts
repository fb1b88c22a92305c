import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One span as received. */
export interface ReceivedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The error with which it failed; undefined if it did not. */
  readonly error: string | undefined;
  readonly startNs: bigint;
  readonly endNs: bigint;
}

/** A receiver for OTLP over HTTP, in JSON. */
export interface OtlpReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** Everything that it received, as text, for the scan for secrets. */
  text(): string;
  close(): void;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: readonly Attribute[];
  readonly status?: { readonly message?: string };
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    bodies.push(request.url ?? '', body);
    for (const { resource, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      const service = String(valuesOf(resource.attributes)['service.name']);
      for (const span of scopeSpans.flatMap((scope) => scope.spans)) spans.push(read(service, span));
    }
    response.setHeader('content-type', 'application/json').end('{}');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    text: () => bodies.join('\n'),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function read(service: string, span: SentSpan): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name, attributes, startTimeUnixNano, endTimeUnixNano } = span;
  return {
    service,
    traceId,
    spanId,
    parentSpanId: parentSpanId || undefined,
    name,
    attributes: valuesOf(attributes),
    error: span.status?.message,
    startNs: BigInt(startTimeUnixNano),
    endNs: BigInt(endTimeUnixNano),
  };
}

function valuesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
