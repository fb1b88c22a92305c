import {
  type FieldNode,
  type GraphQLResolveInfo,
  getNamedType,
  Kind,
  type ResponsePath,
  type SelectionSetNode,
} from 'graphql';
import { inTurns } from '../../runtime/event-loop/turns.js';
import { inUnits } from '../../schema/byte-units.js';
import { type Awaitable, isPromise } from '../../schema/is-promise.js';
import type { Subgraph } from '../../schema/operation.js';
import { responseTooLarge } from '../limits/response-too-large.js';
import type { GatewayRequest } from '../request/request.js';
import { settleInTime } from '../request/settle-in-time.js';
import { createFieldSpan } from './field-span.js';

/** The path of a field in the response, with `@` for the items of lists: `missions.nodes.@.commune`. */
export type Place = string;

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
  readonly #widths = new Map<Nodes, number>();
  readonly #joined = new Map<object, Map<string, unknown>>();
  /** A lower bound of the response's bytes, from its lists. */
  #bytes = 0;

  /** `maxBytes` is the size of the largest response as JSON. */
  constructor(request: GatewayRequest, maxBytes: number) {
    this.#request = request;
    this.#maxBytes = maxBytes;
  }

  /**
   * Runs a resolver of a subgraph with its context, once the subgraph has loaded what it needs. Settles in time: when
   * the request is cut off, the field fails and holds nothing else. Throws the reason for a request that has ended.
   */
  enter(subgraph: Subgraph, info: GraphQLResolveInfo, resolve: (context: unknown) => unknown): unknown {
    this.#request.signal.throwIfAborted();
    const loading = subgraph.loading?.() ?? null;
    const value =
      loading === null
        ? resolve(this.#contextAt(subgraph, info))
        : loading.then(() => resolve(this.#contextAt(subgraph, info)));
    return isPromise(value) ? settleInTime(value, this.#request) : value;
  }

  /** What `resolve` returned for the first of equal representations; `of` is what they are resolved for. */
  once(of: object, representation: string, resolve: () => unknown): unknown {
    const known = this.#joined.get(of) ?? new Map<string, unknown>();
    this.#joined.set(of, known);
    if (known.has(representation)) return known.get(representation);
    const value = resolve();
    known.set(representation, value);
    return value;
  }

  /**
   * The items of a list of objects, later ones as promises: graphql-js would complete thousands of rows in one go.
   * Throws ANSWER_TOO_LARGE once the lists alone exceed the largest response, however they multiply.
   */
  itemByItem(list: unknown, info: GraphQLResolveInfo): Awaitable<unknown> {
    if (!Array.isArray(list)) return list;
    this.#bytes += list.length * this.#widthOf(info);
    if (this.#bytes > this.#maxBytes)
      throw responseTooLarge(`The response would have more than ${inUnits(this.#maxBytes)}.`);
    return list.length > 1 ? inTurns(this.#request, list, (item: unknown) => item) : list;
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

  #widthOf(info: GraphQLResolveInfo): number {
    const known = this.#widths.get(info.fieldNodes);
    if (known !== undefined) return known;
    const keys = new Set<string>();
    for (const { selectionSet } of info.fieldNodes) addKeys(selectionSet, info, keys);
    let bytes = OBJECT_BYTES;
    for (const key of keys) bytes += key.length + FIELD_BYTES;
    this.#widths.set(info.fieldNodes, bytes);
    return bytes;
  }
}

type Nodes = readonly FieldNode[];

/** Bytes of JSON that every object has, and every field besides its key. */
const OBJECT_BYTES = 2;
const FIELD_BYTES = 4;

/** Adds the response keys that every object selected here has: those without a condition. */
function addKeys(set: SelectionSetNode | undefined, info: GraphQLResolveInfo, keys: Set<string>): void {
  for (const selection of set?.selections ?? []) {
    if ((selection.directives?.length ?? 0) > 0) continue;
    if (selection.kind === Kind.FIELD) {
      keys.add((selection.alias ?? selection.name).value);
      continue;
    }
    const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? info.fragments[selection.name.value] : selection;
    const type = fragment?.typeCondition?.name.value;
    if (type === undefined || type === getNamedType(info.returnType).name) addKeys(fragment?.selectionSet, info, keys);
  }
}

function placeOf(path: ResponsePath): Place {
  const steps: (string | number)[] = [];
  for (let step: ResponsePath | undefined = path; step !== undefined; step = step.prev)
    steps.push(typeof step.key === 'number' ? '@' : step.key);
  return steps.reverse().join('.');
}
