/**
 * The upstream of the bench, in a process of its own: the sandbox's three services, with a delay on each response if
 * the bench requests one. Reports how many calls it received.
 */
import { variablesOf } from '../../sandbox/hints.js';
import { startSandbox } from '../../sandbox/index.js';

/** Sent to the bench at the start. */
export interface UpstreamsReady {
  /** Environment variables with the services' addresses and keys. */
  readonly variables: Readonly<Record<string, string>>;
  /** INSEE codes of communes across the country, to look up. */
  readonly inseeCodes: readonly string[];
}

/** The calls since the last count. */
export interface CallTally {
  readonly made: number;
  /** Number of those that the services refused because a window was spent. */
  readonly refused: number;
  /** Most calls to the volunteering service within a minute. */
  readonly busiestMinute: number;
}

export type UpstreamsRequest =
  | { readonly upstreams: 'count calls' }
  | { readonly upstreams: 'tally' }
  | { readonly upstreams: 'open windows'; readonly callsPerMinute?: number }
  | { readonly upstreams: 'delay'; readonly ms: number };

/** The variants share one account, whose window should not affect the measurement. */
const CALLS_PER_MINUTE = 1_000_000;
const CODES = 500;

const sandbox = await startSandbox();
openWindows();

process.on('message', (request: Partial<UpstreamsRequest>) => {
  if (request.upstreams === 'count calls') {
    process.send?.({ calls: sandbox.running.reduce((sum, { calls }) => sum + calls.length, 0) });
    for (const service of sandbox.running) service.clearCalls();
  }
  if (request.upstreams === 'tally') process.send?.({ tally: tally() });
  if (request.upstreams === 'open windows') {
    openWindows(request.callsPerMinute);
    process.send?.({ opened: true });
  }
  if (request.upstreams === 'delay') {
    for (const service of sandbox.running) {
      service.clearFaults();
      if (request.ms) service.fault({ kind: 'latency', ms: request.ms });
    }
    process.send?.({ delayed: request.ms });
  }
});

const ready: UpstreamsReady = { variables: variablesOf(sandbox), inseeCodes: inseeCodes() };
process.send?.(ready);

function openWindows(callsPerMinute = CALLS_PER_MINUTE): void {
  for (const service of sandbox.running) service.reset();
  // Responses of several programs are compared.
  sandbox.volunteering.order = 'stable';
  sandbox.volunteering.callsPerMinute = callsPerMinute;
}

function tally(): CallTally {
  const calls = sandbox.running.flatMap((service) => service.calls);
  const times = sandbox.volunteering.calls.map(({ at }) => at);
  let [first, busiestMinute] = [0, 0];
  for (const [last, at] of times.entries()) {
    while ((times[first] ?? at) <= at - 60_000) first += 1;
    busiestMinute = Math.max(busiestMinute, last - first + 1);
  }
  return { made: calls.length, refused: calls.filter(({ status }) => status === 429).length, busiestMinute };
}

/** Evenly spaced codes, except Corsica's, which a join finds by postal code. */
function inseeCodes(): string[] {
  const codes = sandbox.world.communes
    .map((commune) => (commune as { code?: { insee?: string } }).code?.insee ?? '')
    .filter((code) => /^\d{5}$/.test(code));
  const step = Math.floor(codes.length / CODES);
  return codes.filter((_, place) => place % step === 0).slice(0, CODES);
}
