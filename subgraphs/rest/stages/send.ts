import type { Call } from '../call.js';
import { quotaOf, readQuota } from '../ports/response-headers.js';
import { ACCEPT_ENCODING, type WireRequest, type WireResponse } from '../ports/transport.js';
import { type Dialect, queryText } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** The largest body that is read into memory; the export, which is larger, is streamed to disk. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** Sends a call and reads its whole response. The only place where a secret becomes a header. */
export function send({ transport, dialect, baseUrl, origin }: ServiceParts): (call: Call) => Promise<WireResponse> {
  return async (call) => {
    const { request, trail } = call;
    const wire: WireRequest = {
      method: request.method,
      url: new URL(baseUrl + request.path + queryText(request.query)),
      headers: headersOf(call, dialect),
      maxBytes: MAX_BODY_BYTES,
      takesCut: request.streamed === true,
      ...bodyOf(call),
    };
    trail.sent += 1;
    trail.head = null;
    trail.readable = false;
    trail.isAmbiguous = false;
    trail.mayBeOfRecord = false;
    const response = await transport.send(wire, call.signal);
    trail.head = { status: response.status, headers: response.headers };
    trail.bytes = response.body.length;
    trail.quota = quotaOf(response);
    if (trail.quota === null && readQuota(response.headers) !== null) origin.drift('x-ratelimit-limit', 'form');
    return response;
  };
}

function headersOf({ request, credential, entry, span }: Call, dialect: Dialect): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'accept-encoding': request.small === true ? 'identity' : ACCEPT_ENCODING,
    'user-agent': 'passerelle',
  };
  if (request.body !== undefined) headers['content-type'] = 'application/json';
  if (request.form !== undefined) headers['content-type'] = 'application/x-www-form-urlencoded';
  if (entry?.response.etag != null) headers['if-none-match'] = entry.response.etag;
  if (span !== undefined) headers['traceparent'] = span.traceparent;
  return credential === null ? headers : Object.assign(headers, dialect.headers(credential.reveal(), request));
}

function bodyOf({ request }: Call): { body?: string } {
  if (request.form !== undefined)
    return { body: new URLSearchParams(request.form.map(([...pair]) => pair)).toString() };
  return request.body === undefined ? {} : { body: JSON.stringify(request.body) };
}
