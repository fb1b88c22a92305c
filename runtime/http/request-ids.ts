import { randomFillSync } from 'node:crypto';
import { oneHeader, type RequestHeaders } from './request-headers.js';

/** The `x-request-id` of a request; a new one if it is absent, or unsafe in logs and headers. */
export function requestIdOf(headers: RequestHeaders): string {
  const given = oneHeader(headers, 'x-request-id');
  return given !== undefined && /^[\w.:/+=-]{1,128}$/.test(given) ? given : newRequestId();
}

/** As many as of a trace id (W3C trace context). */
const ID_BYTES = 16;
/** Random bytes of the next ids: they are drawn for many at once, as each draw is a call into the system's library. */
const random = Buffer.alloc(256 * ID_BYTES);
let used = random.length;

/** 32 hexadecimal digits: one text, where a UUID is put together from two dozen. */
function newRequestId(): string {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.toString('hex', used - ID_BYTES, used);
}
