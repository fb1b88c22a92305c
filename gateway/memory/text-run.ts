import type { BailoutReason, CacheDependency, CachedRun } from '../../kernel/cached-run.js';
import { bailout } from '../../kernel/cached-run.js';
import type { Deadline, OperationContext, Subgraph } from '../../kernel/operation.js';
import { SERVICES } from '../../kernel/services.js';
import type { CallerCredentials } from '../request/request.js';

/** Arguments of one field, checked and coerced as its subgraph would. */
export type Arguments = Readonly<Record<string, unknown>>;

/** Whose request is answered. */
export interface MemoryCaller {
  readonly id: string;
  readonly credentials: CallerCredentials;
  /** When the request started, by the monotonic clock. */
  readonly startedMs: number;
}

/** Longer work has to yield to the event loop, which a run cannot do. */
const MAX_RUN_MS = 5;

/** What a join wrote for one representation. */
export interface Joined {
  readonly text: string;
  readonly parts: readonly CacheDependency[];
  readonly hasSingleUse: boolean;
}

/** What a run works with. */
interface RunOptions {
  /** By the index of the field. */
  readonly args: readonly Arguments[];
  /** The keys of the caller, as `whoIs` returns them: callers for whom it is equal find the same entries. */
  readonly who: string;
  /** When the run starts, in milliseconds since 1970: what is fresh then counts as fresh until it ends. */
  readonly nowMs: number;
}

/** The state of one run of a program. Runs share nothing. */
export class TextRun implements CachedRun {
  readonly args: RunOptions['args'];
  readonly who: RunOptions['who'];
  readonly nowMs: RunOptions['nowMs'];
  /** Parts that loaders looked up, in order of use; all uses of a part count as one. */
  readonly shared: CacheDependency[] = [];
  /** Parts that were looked up outside loaders; every use counts. */
  readonly single: CacheDependency[] = [];
  /** How many texts so far contain such a use: a text that contains one is not cached. */
  singleUses = 0;
  /** Why the run ended early; null if it has not. Needed because a resolver may have caught the signal. */
  bailedOut: BailoutReason | null = null;
  readonly #caller: MemoryCaller;
  /** Contexts of the few subgraphs that it has reached. */
  readonly #contexts: { readonly subgraph: Subgraph; readonly context: unknown }[] = [];
  #joined: Map<object, Map<string, Joined>> | null = null;
  readonly #request = {};
  readonly #number = nextNumber++;
  /** How many loaders are looking something up, nested in one another. */
  #loaders = 0;

  constructor(caller: MemoryCaller, { args, who, nowMs }: RunOptions) {
    this.#caller = caller;
    this.args = args;
    this.who = who;
    this.nowMs = nowMs;
  }

  /** Whether it has blocked the event loop for as long as one run may. */
  isOver(): boolean {
    return performance.now() - this.#caller.startedMs > MAX_RUN_MS;
  }

  recordUse(part: CacheDependency): void {
    if (this.#loaders > 0 || !part.isCall) this.shared.push(part);
    else this.#recordSingle(part);
  }

  inLoader<T>(look: () => T): T {
    this.#loaders += 1;
    try {
      return look();
    } finally {
      this.#loaders -= 1;
    }
  }

  /** Counts the parts behind a reused text as used again. */
  reuse(parts: readonly CacheDependency[]): void {
    for (const part of parts) this.shared.push(part);
  }

  #recordSingle(part: CacheDependency): void {
    this.single.push(part);
    this.singleUses += 1;
  }

  /** All parts that were used; those that loaders looked up only once each. */
  parts(): readonly CacheDependency[] {
    const parts = [...this.single];
    for (const part of this.shared) {
      if (part.lastRun === this.#number) continue;
      part.lastRun = this.#number;
      parts.push(part);
    }
    return parts;
  }

  bailOut(reason: BailoutReason): never {
    this.bailedOut ??= reason;
    throw bailout(reason);
  }

  /** The context of a subgraph's resolvers, one for the whole run. */
  contextOf(subgraph: Subgraph): unknown {
    for (const known of this.#contexts) if (known.subgraph === subgraph) return known.context;
    const context = subgraph.contextFor(this.#operationOf(subgraph));
    this.#contexts.push({ subgraph, context });
    return context;
  }

  /** What a join has written in this run, by the text of the representation, so that equal ones are written once. */
  joinedBy(join: object): Map<string, Joined> {
    this.#joined ??= new Map();
    const known = this.#joined.get(join);
    if (known !== undefined) return known;
    const texts = new Map<string, Joined>();
    this.#joined.set(join, texts);
    return texts;
  }

  #operationOf({ name }: Subgraph): OperationContext {
    const { id, credentials } = this.#caller;
    return {
      requestId: id,
      request: this.#request,
      deadline: NEVER_LATE,
      signal: NEVER_ABORTED,
      credential: credentials[name],
      internal: false,
      planNode: '',
      // Hits are collected in the run and counted when it is complete. What may change at any time is no hit.
      recorder: { elapsedMs: () => 0, record() {}, forbidCaching: () => this.bailOut('uncached') },
      cachedRun: this,
    };
  }
}

let nextNumber = 1;

/** Equal for callers with the same keys; empty for callers without any. */
export function whoIs(credentials: CallerCredentials): string {
  let who = '';
  for (const service of SERVICES) {
    const own = credentials[service];
    if (own !== null) who += `${service} ${own.fingerprint} `;
  }
  return who;
}

/** A run ends within its turn of the event loop, so it can neither be aborted nor be late. */
const NEVER_ABORTED = new AbortController().signal;
const NEVER_LATE: Deadline = { remainingMs: () => Number.POSITIVE_INFINITY };
