import { Counter, type Registry } from 'prom-client';
import { createTally, createTimes, DURATION_BUCKETS } from './tally.js';

/** What is counted of clients' requests. */
export interface RequestFigures {
  /** One answered request of a client. */
  request(answered: { readonly status: number; readonly ms: number }): void;
  /** How it was answered: `direct`, from what is kept; or why not, from a closed list of words. */
  answered(way: string): void;
  /** The supergraph was to be read again; the outcome is of a closed list of words. */
  reloaded(outcome: string): void;
}

/** The figures of clients' requests in this registry. */
export function createRequestFigures(register: Registry): RequestFigures {
  const registers = [register];
  const requests = createTimes({
    name: 'passerelle_request_duration_seconds',
    help: 'Time until a request of a client was answered, by HTTP status.',
    buckets: DURATION_BUCKETS,
  });
  register.registerMetric(requests.metric);
  const answeredBy = createTally();
  const ways: Counter = new Counter({
    name: 'passerelle_requests_answered_total',
    help: 'Requests of clients by the way they were answered: direct from what is kept, or why not.',
    labelNames: ['way'],
    registers,
    collect: () => answeredBy.flush(ways),
  });
  const reloads = new Counter({
    name: 'passerelle_supergraph_reloads_total',
    help: 'Reloads of the supergraph by how they ended: reloaded, unchanged, refused, unusable.',
    labelNames: ['outcome'],
    registers,
  });
  return {
    request: ({ status, ms }) => requests.observe(String(status), () => ({ status: String(status) }), ms / 1000),
    answered: (way) => answeredBy.add(way, () => ({ way })),
    reloaded: (outcome) => reloads.inc({ outcome }),
  };
}
