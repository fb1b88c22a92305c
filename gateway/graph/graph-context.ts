import type { FieldNode, GraphQLResolveInfo, ResponsePath } from 'graphql';
import type { CodedError } from '../../kernel/errors.js';
import type { Span } from '../../kernel/log.js';
import type { Subgraph } from '../../kernel/operation.js';
import { isPromise } from '../../kernel/ready.js';
import { inUnits } from '../../kernel/text.js';
import { takeTurnsFor } from '../../runtime/event-loop/turn-queue.js';
import { abandon, inTurns } from '../../runtime/event-loop/turns.js';
import { type GatewayRequest, responseTooLarge, settleInTime } from '../request/request.js';

/** The path of a field in the response, with `@` for the items of lists: `missions.nodes.@.commune`. */
type Place = string;

/**
 * What the resolvers of one execution share. Each field's resolver gets a context of its own subgraph, with the
 * credential of that service alone; its calls are recorded with the place of the field.
 *
 * graphql-js collects the fields below an object once for each place, so the list of a field's nodes stands for its
 * place: however many rows a list has, its contexts are made once.
 */
export class GraphContext {
  readonly #request: GatewayRequest;
  readonly #maxBytes: number;
  readonly #contexts = new Map<Nodes, unknown>();
  readonly #joined = new Map<object, Map<string, unknown>>();
  /** A lower bound of the response's bytes so far. */
  #bytes = 0;
  #tooLarge: CodedError | null = null;
  #whenTooLarge: ((error: CodedError) => void) | null = null;

  /** `maxBytes` is the size of the largest response as JSON. */
  constructor(request: GatewayRequest, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
    takeTurnsFor(request.callerId, this);
  }

  /** Why the response is given up; null while it fits. What is left of its execution makes no call and no row. */
  get tooLarge(): CodedError | null {
    return this.#tooLarge;
  }

  /** Calls back once the response is too large: at once if it already is. */
  onTooLarge(listener: (error: CodedError) => void): void {
    if (this.#tooLarge !== null) listener(this.#tooLarge);
    this.#whenTooLarge = listener;
  }

  /**
   * Runs a resolver of a subgraph with its context, once the subgraph has loaded what it needs. Throws the reason for a
   * request that has ended.
   */
  enter(subgraph: Subgraph, info: GraphQLResolveInfo, resolve: (context: unknown) => unknown): unknown {
    if (this.#tooLarge !== null) return null;
    this.#request.signal.throwIfAborted();
    const loading = subgraph.loading?.() ?? null;
    if (loading === null) return resolve(this.#contextAt(subgraph, info));
    return loading.then(() => resolve(this.#contextAt(subgraph, info)));
  }

  /**
   * What `resolve` returned or threw for the first of equal representations; `of` is what they are resolved for. A
   * thrown error is the rejection of a promise.
   */
  once(of: object, representation: string, resolve: () => unknown): unknown {
    const known = this.#joined.get(of) ?? new Map<string, unknown>();
    this.#joined.set(of, known);
    if (known.has(representation)) return known.get(representation);
    const value = settled(resolve);
    known.set(representation, value);
    // From then on, equal ones do not wait for it again.
    if (isPromise(value)) value.then((there) => known.set(representation, there), NOTHING);
    return value;
  }

  /**
   * The value of a field, counted towards the size of the response, however joins multiply it. Settles in time: when the
   * request is cut off, the field fails and holds nothing else. `inTurn`: the items of a list are promises once they
   * have taken a turn, since graphql-js would complete thousands of rows in one go.
   */
  take(value: unknown, info: GraphQLResolveInfo, inTurn: boolean): unknown {
    if (!isPromise(value)) return this.#counted(value, info, inTurn);
    return settleInTime(value, this.#request).then((there) => this.#counted(there, info, inTurn));
  }

  #counted(value: unknown, { path }: GraphQLResolveInfo, inTurn: boolean): unknown {
    this.#bytes += (path.key as string).length + FIELD_BYTES + bytesOf(value);
    if (this.#bytes > this.#maxBytes) this.#giveUp();
    if (!Array.isArray(value)) return value;
    if (this.#tooLarge !== null) return [];
    if (!inTurn || value.length < 2) return value.some(isPromise) ? value.map((item) => this.#item(item)) : value;
    return inTurns(this, value, (item: unknown) => this.#item(item));
  }

  #item(item: unknown): unknown {
    if (this.#tooLarge !== null) return null;
    return isPromise(item) ? settleInTime(item, this.#request) : item;
  }

  #giveUp(): void {
    if (this.#tooLarge !== null) return;
    this.#tooLarge = responseTooLarge(`The response would have more than ${inUnits(this.#maxBytes)}.`);
    abandon(this);
    this.#whenTooLarge?.(this.#tooLarge);
  }

  #contextAt(subgraph: Subgraph, info: GraphQLResolveInfo): unknown {
    const known = this.#contexts.get(info.fieldNodes);
    if (known !== undefined) return known;
    const place = placeOf(info.path);
    const span = this.#request.span && createFieldSpan(this.#request.span, { place, subgraph: subgraph.name });
    const context = subgraph.contextFor(this.#request.operationOf(subgraph.name, place, span ?? undefined));
    this.#contexts.set(info.fieldNodes, context);
    return context;
  }
}

type Nodes = readonly FieldNode[];

function settled(resolve: () => unknown): unknown {
  try {
    return resolve();
  } catch (error) {
    return Promise.reject(error);
  }
}

const NOTHING = () => {};

/** Bytes of JSON that a field has besides its key and value: quotes, colon, comma. */
const FIELD_BYTES = 4;
/** Of an object besides its fields, the last of which has no comma. */
const OBJECT_BYTES = 1;
/** Of a number of one digit. */
const SMALLEST_BYTES = 1;

/** The fewest bytes of JSON that a field's value has, without the fields of objects. */
function bytesOf(value: unknown): number {
  if (typeof value === 'string') return value.length + 2;
  if (value === null || value === undefined) return 'null'.length;
  if (!Array.isArray(value)) return typeof value === 'object' ? OBJECT_BYTES : SMALLEST_BYTES;
  let bytes = 1 + value.length;
  for (const item of value) bytes += bytesOf(item);
  return bytes;
}

function placeOf(path: ResponsePath): Place {
  const steps: (string | number)[] = [];
  for (let step: ResponsePath | undefined = path; step !== undefined; step = step.prev)
    steps.push(typeof step.key === 'number' ? '@' : step.key);
  return steps.reverse().join('.');
}

/**
 * The span of one field's calls, for all of its rows. It begins with the first call and ends with the last one, so that
 * what took no call has none.
 */
function createFieldSpan(
  request: Span,
  { place, subgraph }: { readonly place: string; readonly subgraph: string },
): Span {
  let open: Span | null = null;
  let calls = 0;

  function begin(): Span {
    open ??= request.child(`field ${subgraph}`, { 'passerelle.subgraph': subgraph, 'passerelle.place': place });
    return open;
  }

  return {
    get traceparent() {
      return (open ?? request).traceparent;
    },
    child(name, attributes) {
      const call = begin().child(name, attributes);
      calls += 1;
      return {
        traceparent: call.traceparent,
        child: call.child,
        end(...how) {
          call.end(...how);
          calls -= 1;
          if (calls > 0) return;
          open?.end();
          open = null;
        },
      };
    },
    end: () => open?.end(),
  };
}
