import type { IncomingHttpHeaders } from 'node:http';

/** The `x-request-id` of a request; null when there is none that may stand in logs and headers as it is. */
export function readRequestId(headers: IncomingHttpHeaders): string | null {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.:/+=-]{1,128}$/.test(given) ? given : null;
}
