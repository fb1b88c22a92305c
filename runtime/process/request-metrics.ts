import { Counter, type Registry } from 'prom-client';
import { createCounterBatch } from './counter-batch.js';
import { createHistogram, DURATION_BUCKETS } from './histogram.js';

/** Metrics of clients' requests. */
export interface RequestFigures {
  /** Records one answered request of a client. */
  request(answered: {
    readonly status: number;
    readonly ms: number;
    /** As the client named it. */
    readonly operation?: string | undefined;
    /** One of a closed list of words; absent for a request that never became an operation. */
    readonly outcome?: string;
  }): void;
  /**
   * Records how a request was answered, and why it was executed, both from closed lists of words; the reason is empty
   * for what was answered from memory.
   */
  answered(way: string, reason: string): void;
}

/** Creates the metrics of clients' requests in this registry. */
export function createRequestFigures(register: Registry): RequestFigures {
  const registers = [register];
  const requests = createHistogram({
    name: 'passerelle_request_duration_seconds',
    help: 'Time until a client request was answered, by HTTP status.',
    labelNames: ['status'],
    buckets: DURATION_BUCKETS,
  });
  register.registerMetric(requests.metric);
  const operations = createHistogram({
    name: 'passerelle_operation_duration_seconds',
    help: 'Time until an operation was answered, by its name and its outcome: ok, partial, failed, refused.',
    labelNames: ['operation', 'outcome'],
    buckets: DURATION_BUCKETS,
  });
  register.registerMetric(operations.metric);
  const labelOf = createOperationLabels();
  const answeredBy = createCounterBatch();
  const ways: Counter = new Counter({
    name: 'passerelle_requests_answered_total',
    help: 'Client requests by the way they were answered, and by the reason why they were executed.',
    labelNames: ['way', 'reason'],
    registers,
    collect: () => answeredBy.flush(ways),
  });
  return {
    request({ status, ms, operation, outcome }) {
      requests.observe(ms / 1000, String(status));
      if (outcome !== undefined) operations.observe(ms / 1000, labelOf(operation), outcome);
    },
    answered: (way, reason) => answeredBy.add(`${way} ${reason}`, () => ({ way, reason })),
  };
}

/** Clients choose operation names: only the first ones seen have a label of their own. */
const MAX_OPERATIONS = 200;
const MAX_LABEL = 100;

/** The label of an operation: its name, `unnamed`, or `other` for names beyond the bound. */
function createOperationLabels(): (name: string | undefined) => string {
  const known = new Set<string>();
  return (name) => {
    if (name === undefined) return 'unnamed';
    const label = name.slice(0, MAX_LABEL);
    if (known.has(label)) return label;
    // Anything else is no GraphQL name, and comes from a request that was refused.
    if (known.size >= MAX_OPERATIONS || !/^[_A-Za-z]\w*$/.test(label)) return 'other';
    known.add(label);
    return label;
  };
}
