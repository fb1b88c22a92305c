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
import { fragmentsOf, objectTypesOf, type SelectedField, selectFields } from '../../kernel/selections.js';
import { pageSize } from '../limits/operation-limits.js';
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
  /** The field's path in the response. */
  readonly path: string;
  /** Number of objects that it selects from. */
  readonly times: number;
  /** Size of the page above, for the list directly below it. */
  readonly page: number | null;
}

/** A selected field of an object type. */
interface PlacedField extends SelectedField {
  readonly parent: GraphQLObjectType;
  readonly field: GraphQLField<unknown, unknown>;
}

/** The fields of an operation as they declare their prices, as if none of them were cached. */
export function createFieldPrices({ schema, document, operation, variables }: ResolvedOperation, list: PriceList) {
  const selection = { schema, fragments: fragmentsOf(document), flags: variables };

  function fieldsOf(parent: GraphQLObjectType, sets: SelectedField['sets']): PlacedField[] {
    const known = parent.getFields();
    return selectFields(sets, parent, selection).flatMap((selected) => {
      const field = known[selected.name];
      return field === undefined ? [] : [{ ...selected, parent, field }];
    });
  }

  function argumentsOf({ field, node }: PlacedField): FieldArguments | null {
    try {
      return getArgumentValues(field, node, variables);
    } catch {
      return null;
    }
  }

  /** Size of the page that a field requests, or the usual length of its list; null if neither is known. */
  function sizeOf(one: PlacedField): number | null {
    const { parent, field } = one;
    const rows = list(parent.name, field.name)?.rows;
    const args = argumentsOf(one) ?? {};
    const usual = typeof rows === 'function' ? rows(args) : rows;
    if (!field.args.some(({ name }) => name === 'first')) return usual ?? null;
    const page = pageSize(args['first'], false);
    return typeof rows === 'function' && usual !== undefined ? Math.min(page, usual) : page;
  }

  /** The calls of a field, but for some that are counted, and of what is selected below it, for each of its items. */
  function callsOf(one: PlacedField, { path, times, page }: Place, counted: number): FieldCalls[] {
    const own = ownCalls(one, times, counted);
    return [...(own === null ? [] : [{ cause: path, ...own }]), ...callsBelow(one, { path, times, page })];
  }

  function ownCalls(one: PlacedField, times: number, counted: number): Omit<FieldCalls, 'cause'> | null {
    const price = list(one.parent.name, one.field.name);
    if (price === undefined) return null;
    const { service, scope, calls: each = 1, together = 1, furtherCalls = 0 } = price;
    const args = typeof each === 'number' ? null : argumentsOf(one);
    // Arguments that do not fit are refused without a call.
    const all = typeof each === 'number' ? each : args === null ? 0 : each(args, Math.min(times, together));
    const calls = Math.ceil(times / together) * (all - counted) + Math.min(times, furtherCalls);
    return calls > 0 ? { service, scope, calls } : null;
  }

  function callsBelow(one: PlacedField, { path, times, page }: Place): FieldCalls[] {
    if (one.sets.length === 0) return [];
    const size = sizeOf(one);
    const isList = isListType(getNullableType(one.field.type));
    const inside = { times: isList ? times * (size ?? page ?? 1) : times, page: isList ? null : size };
    return objectTypesOf(one.field.type, schema)
      .flatMap((type) => fieldsOf(type, one.sets))
      .flatMap((field) => callsOf(field, { path: `${path}.${field.key}`, ...inside }, 0));
  }

  /** Calls of a field whose value is missing `times` times, but for its first call, and of what is selected below. */
  return (path: readonly string[], times: number): readonly FieldCalls[] => {
    const root = schema.getRootType(operation.operation);
    let page: number | null = null;
    let placed = root ? fieldsOf(root, [operation.selectionSet]).filter(({ key }) => key === path[0]) : [];
    for (const step of path.slice(1)) {
      const [first] = placed;
      page = first === undefined || isListType(getNullableType(first.field.type)) ? null : sizeOf(first);
      placed = placed
        .flatMap(({ field, sets }) => objectTypesOf(field.type, schema).flatMap((type) => fieldsOf(type, sets)))
        .filter(({ key }) => key === step);
    }
    return placed.flatMap((one) => callsOf(one, { path: path.join('.'), times, page }, 1));
  };
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
