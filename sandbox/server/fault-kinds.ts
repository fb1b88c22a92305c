/** All faults with their descriptions, as `GET /__sandbox/faults` returns them. */
export const FAULT_KINDS = {
  latency: 'responds `ms` milliseconds later',
  headers: 'sets the `headers` of the response; null removes one',
  'wrong-type': 'sets values in the JSON body by JSON pointer, such as {"/jobs/0/offer": 7}',
  status: 'responds with `status` (503) and the body of the service for it',
  'rate-limit': 'responds as if the quota were spent',
  'proxy-rate-limit': 'responds like the rate limiter of its proxy: a page without a reset time',
  html: 'responds with the error page of a proxy and `status` (502)',
  'html-404': 'responds with the 404 page of a proxy',
  redirect: 'redirects to `headers.location` with `status` (302)',
  silent: 'accepts the call and never responds',
  drop: 'closes the connection before responding',
  reset: 'resets the connection before responding',
  'idle-close': 'resets a reused connection as soon as the next call arrives on it',
  cut: 'closes the connection in the middle of the body',
  'reset-mid-body': 'resets the connection in the middle of the body',
  'wrong-length': 'announces `bytes` (10) more than it sends; fewer if negative',
  'slow-close': 'ends the body by closing the connection, `ms` (10) after the last byte',
  drip: 'sends `bytes` (1) of the body at a time and waits `ms` (10) after each',
  'big-body': 'sends a body of `bytes` (80 MiB)',
  'gzip-bomb': 'sends a few bytes that decompress to `bytes` (80 MiB)',
} as const;

/** The name of a fault. */
export type FaultKind = keyof typeof FAULT_KINDS;

/** Whether a value is the name of a fault. */
export function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === 'string' && Object.hasOwn(FAULT_KINDS, kind);
}
