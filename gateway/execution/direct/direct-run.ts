import type { AtHand, KeptHit, WhyNot } from '../../../schema/at-hand.js';
import { notAtHand } from '../../../schema/at-hand.js';
import type { Deadline, Ledger, OperationContext, Subgraph } from '../../../schema/operation.js';
import type { CallerCredentials } from '../../request/credentials.js';

/** Arguments of one field, checked and completed as its subgraph would. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Whose request is run. */
export interface DirectCaller {
  readonly id: string;
  readonly credentials: CallerCredentials;
  readonly deadlineMs: number;
}

/** Longer work lets the event loop turn, which a run cannot. */
const MAX_RUN_MS = 5;

/** What one run of a program works on. Nothing is shared between two runs. */
export class DirectRun implements AtHand {
  /** By the index of the field. */
  readonly args: readonly Arguments[];
  readonly hits: KeptHit[] = [];
  /** Why the run has ended early; null as long as it has not. A resolver may have caught the signal. */
  gaveUp: WhyNot | null = null;
  readonly #caller: DirectCaller;
  readonly #contexts = new Map<Subgraph, unknown>();
  readonly #joined = new Map<object, Map<string, string>>();
  readonly #request = {};
  readonly #beganMs = performance.now();

  constructor(caller: DirectCaller, args: readonly Arguments[]) {
    this.#caller = caller;
    this.args = args;
  }

  /** Whether it has kept the event loop for as long as one run may. */
  isOver(): boolean {
    return performance.now() - this.#beganMs > MAX_RUN_MS;
  }

  took(hit: KeptHit): void {
    this.hits.push(hit);
  }

  give(reason: WhyNot): never {
    this.gaveUp ??= reason;
    throw notAtHand(reason);
  }

  /** The context of a subgraph's resolvers, one for the whole run. */
  contextOf(subgraph: Subgraph): unknown {
    const known = this.#contexts.get(subgraph);
    if (known !== undefined) return known;
    const context = subgraph.contextFor(this.#operationOf(subgraph));
    this.#contexts.set(subgraph, context);
    return context;
  }

  /** What a join answered in this run, by what it knows of its objects: equal ones are asked for once. */
  joinedBy(join: object): Map<string, string> {
    const known = this.#joined.get(join);
    if (known !== undefined) return known;
    const texts = new Map<string, string>();
    this.#joined.set(join, texts);
    return texts;
  }

  #operationOf({ name }: Subgraph): OperationContext {
    const { id, credentials, deadlineMs } = this.#caller;
    const deadline: Deadline = { remainingMs: () => deadlineMs };
    return {
      requestId: id,
      request: this.#request,
      deadline,
      signal: NEVER_ABORTED,
      credential: credentials[name],
      internal: false,
      planNode: '',
      ledger: UNUSED_LEDGER,
      atHand: this,
    };
  }
}

/** A run ends within its turn of the event loop: nobody can leave it. */
const NEVER_ABORTED = new AbortController().signal;

/** Hits are noted in the run: they are told when it is whole. */
const UNUSED_LEDGER: Ledger = { elapsedMs: () => 0, record: () => {} };
