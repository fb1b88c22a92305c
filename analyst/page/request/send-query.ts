import { SERVICE_ENTRIES, SERVICES } from '../../../kernel/services.js';
import type { Trace } from '../../../kernel/trace.js';
import { textsNow } from '../state/language.js';
import { type OwnKeys, page, type Say } from '../state/page-state.js';
import type { GraphqlRequest, GraphqlResponse, QueryResult, TabHeaders } from '../state/query-result.js';
import { REQUEST_TEXTS } from './texts.js';

/** There was no GraphQL response; `why` explains it in the page's current language. */
class NoResponse extends Error {
  readonly why: Say;

  constructor(why: Say) {
    super(why());
    this.why = why;
  }
}

/** The message for a failed {@link sendQuery}, in the page's current language. */
export function describeFailure(error: unknown): string {
  const why = error instanceof NoResponse ? error.why() : error instanceof Error ? error.message : '';
  return textsNow(REQUEST_TEXTS).noResponse(why);
}

/** How a request is sent. */
interface Sending {
  readonly signal?: AbortSignal | null;
  /** Those of its tab. */
  readonly headers?: TabHeaders | undefined;
  /** Without the reader's keys and session: what a link may send by itself, and what only names codes. */
  readonly isAnonymous?: boolean;
}

/**
 * Sends one request, with the headers of its tab and the user's own keys. Rejects if the signal aborts, the gateway
 * cannot be reached, or the response is not JSON.
 */
export async function sendQuery(
  request: GraphqlRequest,
  { signal = null, headers = {}, isAnonymous = false }: Sending = {},
): Promise<QueryResult> {
  const startedAt = performance.now();
  const keys = isAnonymous ? {} : page.get().keys;
  const { status, body } = await exchange({
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...keyHeaders(keys), ...headers },
    body: JSON.stringify(request),
    credentials: isAnonymous ? 'omit' : 'same-origin',
    signal,
  });
  const { extensions, ...response } = parseResponse(new TextDecoder().decode(body), status);
  const ms = performance.now() - startedAt;
  const trace = extensions?.passerelle ?? null;
  return { request, response, trace, status, ms, bytes: body.byteLength, receivedAt: new Date(), headers };
}

async function exchange(init: RequestInit): Promise<{ readonly status: number; readonly body: ArrayBuffer }> {
  try {
    const http = await window.fetch('/graphql', init);
    return { status: http.status, body: await http.arrayBuffer() };
  } catch (error) {
    // Browsers report network failures like this; an abort is a `DOMException`.
    throw error instanceof TypeError ? new NoResponse(() => textsNow(REQUEST_TEXTS).unreachable) : error;
  }
}

/** The only place where a response becomes typed; the page's own origin is trusted to send GraphQL. */
function parseResponse(text: string, status: number): GraphqlResponse & { extensions?: { passerelle?: Trace } } {
  try {
    return JSON.parse(text);
  } catch {
    throw new NoResponse(() => textsNow(REQUEST_TEXTS).notJson(status));
  }
}

/** The headers that carry the user's own keys. */
export function keyHeaders(keys: OwnKeys): Record<string, string> {
  return Object.fromEntries(
    SERVICES.flatMap((service) => {
      const key = keys[service];
      return key ? [[SERVICE_ENTRIES[service].credential.header, key]] : [];
    }),
  );
}
