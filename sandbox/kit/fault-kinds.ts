/** Every fault that a service can be switched to, described. `GET /__sandbox/faults` shows it. */
export const FAULT_KINDS = {
  latency: 'answers after `ms` milliseconds more',
  headers: 'sets the `headers` on its answer; null removes one',
  'wrong-type': 'puts the values of `set` into its JSON, by JSON pointer such as {"/jobs/0/offer": 7}',
  status: 'answers with `status` (503) and the body that it has for it',
  'rate-limit': 'refuses as when its own quota is spent',
  'proxy-rate-limit': 'refuses as its proxy does: a page without a time to come back',
  html: 'answers with the page of a proxy and `status` (502)',
  'html-404': "answers with a proxy's page that says 404",
  redirect: 'leads to `headers.location` with `status` (302)',
  silent: 'takes the call and says nothing',
  drop: 'closes the connection before it answers',
  reset: 'resets the connection before it answers',
  'idle-close': 'resets a connection that served a call before, as soon as the next one comes on it',
  cut: 'closes the connection in the middle of the body',
  'reset-mid-body': 'resets the connection in the middle of the body',
  'wrong-length': 'announces `bytes` (10) more than come; a negative number announces less',
  'slow-close': 'ends its body by closing the connection, `ms` (10) after the last byte',
  drip: 'sends `bytes` (1) of the body at a time and waits `ms` (10) after each',
  'big-body': 'sends a body of `bytes` (80 MiB)',
  'gzip-bomb': 'sends few bytes that unpack to `bytes` (80 MiB)',
} as const;

export type FaultKind = keyof typeof FAULT_KINDS;

export function isFaultKind(kind: unknown): kind is FaultKind {
  return typeof kind === 'string' && Object.hasOwn(FAULT_KINDS, kind);
}
