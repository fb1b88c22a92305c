import { forEachInTurns } from '../../../runtime/event-loop/turns.js';
import { type Awaitable, isPromise } from '../../../schema/is-promise.js';
import type { Subgraph } from '../../../schema/operation.js';
import type { GatewayRequest } from '../../request/request.js';
import type { Arguments } from './direct-run.js';
import { type Representation, textOf } from './representation.js';

/** Starts the calls that a selection needs below a value. */
export type Fetch = (value: unknown, run: FetchRun) => void;

/** Makes the calls that a program needs, as its resolvers make them. Their values are not used: they are cached. */
export class FetchRun {
  /** By the index of the field. */
  readonly args: readonly Arguments[];
  readonly #request: GatewayRequest;
  readonly #contexts = new Map<Subgraph, unknown>();
  readonly #joined = new Map<object, Set<string>>();
  readonly #end: (isWhole: boolean) => void;
  /** How much is awaited. */
  #pending = 0;
  #hasFailed = false;

  private constructor(args: readonly Arguments[], request: GatewayRequest, end: (isWhole: boolean) => void) {
    this.args = args;
    this.#request = request;
    this.#end = end;
  }

  /** Resolves once everything below the root is there; to false as soon as something failed. */
  static run(fetch: Fetch, args: readonly Arguments[], request: GatewayRequest): Promise<boolean> {
    return new Promise((resolve) => {
      const run = new FetchRun(args, request, (isWhole) => {
        clearTimeout(timer);
        resolve(isWhole);
      });
      // An execution may answer in part at the deadline, so it begins before that, and waits for the same calls.
      const timer = setTimeout(() => run.#fail(), request.remainingMs() / 2);
      run.follow(ROOT, fetch);
    });
  }

  /** Goes on below a value once it is there. */
  follow(value: Awaitable<unknown>, fetch: Fetch | null): void {
    this.#pending += 1;
    if (isPromise(value))
      value.then(
        (there) => this.#arrived(there, fetch),
        () => this.#fail(),
      );
    else this.#arrived(value, fetch);
  }

  /** Fetches below each item, and lets the event loop turn. */
  followEach(list: readonly unknown[], fetch: Fetch): void {
    const waits = forEachInTurns(this.#request, list, (item) => this.#fetchBelow(item, fetch));
    if (waits !== undefined) this.follow(waits, null);
  }

  /** Whether this is the first time that a join gets this representation. */
  isFirst(join: object, representation: Representation): boolean {
    const known = this.#joined.get(join) ?? new Set();
    this.#joined.set(join, known);
    const text = textOf(representation);
    if (known.has(text)) return false;
    known.add(text);
    return true;
  }

  contextOf(subgraph: Subgraph): unknown {
    const known = this.#contexts.get(subgraph);
    if (known !== undefined) return known;
    const { ahead, span } = this.#request;
    const operation = this.#request.operationOf(subgraph.name, '', span ?? undefined);
    const context = subgraph.contextFor(ahead === null ? operation : { ...operation, calls: ahead.ahead });
    this.#contexts.set(subgraph, context);
    return context;
  }

  #arrived(value: unknown, fetch: Fetch | null): void {
    if (fetch !== null) this.#fetchBelow(value, fetch);
    this.#pending -= 1;
    if (this.#pending === 0 && !this.#hasFailed) this.#end(true);
  }

  #fetchBelow(value: unknown, fetch: Fetch): void {
    if (this.#hasFailed) return;
    try {
      fetch(value, this);
    } catch {
      this.#fail();
    }
  }

  #fail(): void {
    this.#hasFailed = true;
    this.#end(false);
  }
}

const ROOT = {};
