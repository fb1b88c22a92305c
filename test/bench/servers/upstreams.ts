/**
 * The upstream of the bench, in a process of its own: the sandbox's three services, with a delay on each response when
 * the bench wants one. Says how many calls it got.
 */
import { variablesOf } from '../../../sandbox/hints.js';
import { startSandbox } from '../../../sandbox/index.js';

/** What the bench is told at the start. */
export interface UpstreamsReady {
  /** The environment that leads a server to the services. */
  readonly variables: Readonly<Record<string, string>>;
  /** INSEE codes of communes all over the country, to look up. */
  readonly inseeCodes: readonly string[];
}

/** The calls since the last count. */
export interface CallTally {
  readonly made: number;
  /** How many of them the services refused because a window was spent. */
  readonly refused: number;
  /** The most that came to the volunteering service within a minute. */
  readonly busiestMinute: number;
}

export type UpstreamsRequest =
  | { readonly upstreams: 'count calls' }
  | { readonly upstreams: 'tally' }
  | { readonly upstreams: 'open windows'; readonly callsPerMinute?: number }
  | { readonly upstreams: 'delay'; readonly ms: number };

/** The variants share one account: its window is no part of what is measured. */
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

/** Evenly chosen; those of Corsica, which a join finds by their postal codes, are left out. */
function inseeCodes(): string[] {
  const codes = sandbox.world.communes
    .map((commune) => (commune as { code?: { insee?: string } }).code?.insee ?? '')
    .filter((code) => /^\d{5}$/.test(code));
  const step = Math.floor(codes.length / CODES);
  return codes.filter((_, place) => place % step === 0).slice(0, CODES);
}
