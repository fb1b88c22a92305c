import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isListType,
  isObjectType,
} from 'graphql';
import { declaredField } from '../../kernel/declared-field.js';
import type { FieldArguments, FieldPrice } from '../../kernel/price.js';
import {
  fragmentsOf,
  objectTypesOf,
  type SelectedField,
  type SelectionContext,
  selectFields,
} from '../../kernel/selections.js';
import { pageSize } from '../limits/operation-cost.js';
import type { ResolvedOperation } from '../request/request.js';

/** Calls that one field or look-up of an operation would make. */
export interface FieldCalls {
  /** The field's path in the response, without indexes; for a look-up, its place in the plan and its route. */
  readonly cause: string;
  readonly service: string;
  readonly scope: string;
  readonly calls: number;
}

/** Where a selection is. */
interface Place {
  readonly path: string;
  /** Number of objects that it selects from. */
  readonly times: number;
  /** Size of the page above, for the list directly below it. */
  readonly page: number | null;
}

/** The path to a field whose value is missing. */
interface Missed {
  readonly path: readonly string[];
  readonly times: number;
  readonly page: number | null;
}

/** A selected field of an object type. */
interface PlacedField extends Omit<SelectedField, 'name'> {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
}

type Sets = SelectedField['sets'];

/** The fields of a validated operation as they declare their prices, as if none of them were cached. */
export class FieldPrices {
  readonly #root: GraphQLObjectType | null;
  readonly #sets: Sets;
  readonly #selection: SelectionContext;
  readonly #list: PriceList;
  #calls: FieldCalls[] = [];

  constructor({ schema, document, operation, variables }: ResolvedOperation, list: PriceList) {
    this.#root = schema.getRootType(operation.operation) ?? null;
    this.#sets = [operation.selectionSet];
    this.#selection = { schema, fragments: fragmentsOf(document), flags: variables };
    this.#list = list;
  }

  /** Calls of a field whose value is missing `times` times, but for its first call, and of what is selected below it. */
  below(path: readonly string[], times: number): readonly FieldCalls[] {
    this.#calls = [];
    if (this.#root !== null) this.#follow(this.#root, this.#sets, { path, times, page: null });
    return this.#calls;
  }

  #fieldsOf(parent: GraphQLObjectType, sets: Sets): PlacedField[] {
    const known = parent.getFields();
    const fields: PlacedField[] = [];
    for (const { key, name, node, sets: below } of selectFields(sets, parent, this.#selection)) {
      const field = known[name];
      if (field !== undefined) fields.push({ parent, field, key, node, sets: below });
    }
    return fields;
  }

  #visit(parent: GraphQLObjectType, sets: Sets, place: Place): void {
    for (const one of this.#fieldsOf(parent, sets)) {
      const path = place.path === '' ? one.key : `${place.path}.${one.key}`;
      this.#add(one, path, place.times);
      this.#descend(one, { ...place, path });
    }
  }

  /** Prices what is selected below a field, for each of its items. */
  #descend(one: PlacedField, { path, times, page }: Place): void {
    if (one.sets.length === 0) return;
    const own = this.#sizeOf(one);
    const isList = isListType(getNullableType(one.field.type));
    const items = isList ? times * (own ?? page ?? 1) : times;
    for (const type of objectTypesOf(one.field.type, this.#selection.schema))
      this.#visit(type, one.sets, { path, times: items, page: isList ? null : own });
  }

  /** Walks to the field at a path and prices what is below it. */
  #follow(parent: GraphQLObjectType, sets: Sets, { path, times, page }: Missed, at = 0): void {
    const one = this.#fieldsOf(parent, sets).find(({ key }) => key === path[at]);
    if (one === undefined) return;
    if (at === path.length - 1) {
      const name = path.join('.');
      this.#add(one, name, times, 1);
      this.#descend(one, { path: name, times, page });
      return;
    }
    const isList = isListType(getNullableType(one.field.type));
    const below = { path, times, page: isList ? null : this.#sizeOf(one) };
    for (const type of objectTypesOf(one.field.type, this.#selection.schema))
      this.#follow(type, one.sets, below, at + 1);
  }

  #add(one: PlacedField, path: string, times: number, counted = 0): void {
    const price = this.#list(one.parent.name, one.field.name);
    if (price === undefined) return;
    const { together = 1, furtherCalls = 0 } = price;
    const own = this.#callsOf(price, one, Math.min(times, together)) - counted;
    const calls = Math.ceil(times / together) * own + Math.min(times, furtherCalls);
    if (calls > 0) this.#calls.push({ cause: path, service: price.service, scope: price.scope, calls });
  }

  #callsOf({ calls = 1 }: ListedPrice, one: PlacedField, parents: number): number {
    if (typeof calls === 'number') return calls;
    const args = this.#argumentsOf(one);
    // Arguments that do not fit are refused without a call.
    return args === null ? 0 : calls(args, parents);
  }

  #argumentsOf({ field, node }: PlacedField): FieldArguments | null {
    try {
      return getArgumentValues(field, node, this.#selection.flags);
    } catch {
      return null;
    }
  }

  /** Size of the page that a field requests, or the usual length of its list; null if neither is known. */
  #sizeOf(one: PlacedField): number | null {
    const { parent, field, node } = one;
    const rows = this.#list(parent.name, field.name)?.rows;
    const usual = typeof rows === 'function' ? rows(this.#argumentsOf(one) ?? {}) : rows;
    const isPage = field.args.some(({ name }) => name === 'first');
    if (!isPage) return usual ?? null;
    const page = pageSize(field, node, this.#selection.flags, false);
    return typeof rows === 'function' && usual !== undefined ? Math.min(page, usual) : page;
  }
}

/** What a field of the graph costs, and at which service. */
interface ListedPrice extends FieldPrice {
  readonly service: string;
}

/** Prices by type and field; undefined for a field that makes no call. */
export type PriceList = (type: string, field: string) => ListedPrice | undefined;

/** How many calls it takes to read the rows of a list that follow its first page, by pages of that size. */
export function callsOfFurther(
  list: PriceList,
  { type, name }: { readonly type: string; readonly name: string },
  { size, rows }: { readonly size: number; readonly rows: number },
): number {
  return list(type, name)?.furtherPages?.(size, rows) ?? Math.ceil(rows / size);
}

/**
 * Collects what our subgraphs declare: at the start, because the first request would keep others waiting where their
 * schemas are made for this alone.
 */
export function createPriceList(schemas: ReadonlyMap<string, () => GraphQLSchema>): PriceList {
  const prices = new Map<string, ListedPrice>();
  for (const [service, schema] of schemas) {
    for (const type of Object.values(schema().getTypeMap())) {
      if (!isObjectType(type)) continue;
      for (const field of Object.values(type.getFields())) {
        const { price } = declaredField(field);
        if (price !== null) prices.set(`${type.name}.${field.name}`, { ...price, service });
      }
    }
  }
  return (type, field) => prices.get(`${type}.${field}`);
}
