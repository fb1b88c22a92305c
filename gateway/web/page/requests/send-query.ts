import type { Trace } from '../../../../schema/trace.js';
import type { GraphqlRequest, GraphqlResponse, QueryResult } from '../responses/query-result.js';
import type { OwnKeys } from '../state/own-keys.js';

/** Sends one request; rejects if the signal aborts or the response is not JSON. */
export async function sendQuery(request: GraphqlRequest, keys: OwnKeys, signal?: AbortSignal): Promise<QueryResult> {
  const startedAt = performance.now();
  const http = await window.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...keyHeaders(keys) },
    body: JSON.stringify(request),
    signal: signal ?? null,
  });
  const bytes = await http.arrayBuffer();
  const { extensions, ...response } = parseResponse(new TextDecoder().decode(bytes), http.status);
  const ms = performance.now() - startedAt;
  const trace = extensions?.passerelle ?? null;
  return { request, response, trace, status: http.status, ms, bytes: bytes.byteLength };
}

/** The only place where a response becomes typed; the page's own origin is trusted to send GraphQL. */
function parseResponse(text: string, status: number): GraphqlResponse & { extensions?: { passerelle?: Trace } } {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The response (HTTP ${status}) is not JSON.`);
  }
}

/** The headers that carry the user's own keys. */
export function keyHeaders({ workStudy, volunteering }: OwnKeys): Record<string, string> {
  return {
    ...(workStudy !== '' && { 'x-work-study-key': workStudy }),
    ...(volunteering !== '' && { 'x-volunteering-key': volunteering }),
  };
}
