import {
  type DocumentNode,
  type FieldNode,
  type GraphQLFieldMap,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getOperationAST,
  isAbstractType,
  isObjectType,
  Kind,
  parse,
  print,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { defaultsOf } from '../kernel/flags.js';
import { type FieldWalk, fragmentsOf, walkFields } from '../kernel/selections.js';
import { isPagedKey } from './lists.js';
import { readPath } from './path.js';

/** What a query says of how many rows a list of it may have, and by which fields the response tells. */
export interface ListLimit {
  /** Index of the list's `[]` in the steps of its path. */
  readonly at: number;
  /** Name of its field, whatever the alias. */
  readonly name: string;
  /** Whether it belongs to a connection, and so is a page of a longer list. */
  readonly isPage: boolean;
  /** Whether that page begins after a cursor. */
  readonly isLater: boolean;
  /** How many rows it has at most by its own `first`; null without that argument, NaN if it is not known. */
  readonly first: number | null;
  /** The fields beside it that say whether it has everything, as far as the graph is known. */
  readonly flags: readonly string[];
  /** Those of them that the query does not select, with the selections that lack them. */
  readonly missing: readonly MissingField[];
}

interface MissingField {
  readonly set: SelectionSetNode;
  readonly field: string;
}

/** A query with what it runs with. */
export interface LimitedQuery {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The limits of the lists on a path, as far as the path alone tells: for a query that is not known. */
export function limitsOfPath(path: string): ListLimit[] {
  const steps = readPath(path);
  return steps.flatMap((step, index) => {
    if (!('key' in step) || steps[index + 1] === undefined || 'key' in (steps[index + 1] ?? {})) return [];
    const isPage = isPagedKey(step.key);
    return [{ at: index + 1, name: step.key, isPage, isLater: false, first: null, flags: [], missing: [] }];
  });
}

/** Where a path has led so far: the selections there, and their type, null if it is not known. */
interface Place {
  readonly sets: readonly SelectionSetNode[];
  readonly fields: GraphQLFieldMap<unknown, unknown> | null;
  readonly field: FieldNode | null;
}

/**
 * The limits of the lists on a path of a query. Without the graph, the defaults of arguments and the fields that say
 * whether a list has everything are not known.
 */
export function limitsOf(query: LimitedQuery, path: string, schema: GraphQLSchema | null): ListLimit[] {
  const operation = getOperationAST(query.document, query.operationName);
  if (!operation) return limitsOfPath(path);
  const values = { ...defaultsOf(operation), ...query.variables };
  const fragments = fragmentsOf(query.document);
  const walk: FieldWalk = { findFragment: (name) => fragments.get(name), flags: values };
  const steps = readPath(path);
  const limits: ListLimit[] = [];
  const root = schema?.getRootType(operation.operation);
  let outer: Place = { sets: [], fields: null, field: null };
  let place: Place = { sets: [operation.selectionSet], fields: fieldsOf(root, schema), field: null };
  for (const [index, step] of steps.entries()) {
    if (!('key' in step)) continue;
    const found = fieldsAt(place.sets, step.key, walk);
    const [field] = found;
    if (field === undefined) return limitsOfPath(path);
    const own = place.fields?.[field.name.value];
    const next = steps[index + 1];
    if (next !== undefined && 'each' in next) {
      limits.push({ at: index + 1, ...limitOf(field, { place, outer, walk, values }) });
    }
    outer = place;
    const sets = found.flatMap(({ selectionSet }) => selectionSet ?? []);
    place = { sets, fields: own === undefined ? null : fieldsOf(getNamedType(own.type), schema), field };
  }
  return limits;
}

interface Around {
  readonly place: Place;
  readonly outer: Place;
  readonly walk: FieldWalk;
  readonly values: Readonly<Record<string, unknown>>;
}

function limitOf(field: FieldNode, { place, outer, walk, values }: Around): Omit<ListLimit, 'at'> {
  const name = field.name.value;
  const { fields } = place;
  const isPage = isPagedKey(name) && (fields === null || Object.hasOwn(fields, 'pageInfo'));
  const after = isPage && place.field !== null ? argumentOf(place.field, 'after', values) : undefined;
  const limit = fields?.[name]?.args.find((argument) => argument.name === 'first');
  const first = argumentOf(field, 'first', values) ?? limit?.defaultValue;
  const hasLimit = limit !== undefined || field.arguments?.some((argument) => argument.name.value === 'first') === true;
  const flags = ['truncated', 'complete', 'counted', `${name}Complete`].filter(
    (flag) => fields !== null && Object.hasOwn(fields, flag),
  );
  const lacks = ({ sets }: Place, key: string) => fieldsAt(sets, key, walk).length === 0;
  const [set, outerSet] = [place.sets[0], outer.sets[0]];
  const missing = flags
    .filter((flag) => !(flag === 'counted' && flags.includes('complete')) && lacks(place, flag))
    .flatMap((flag) => (set === undefined ? [] : [{ set, field: flag }]));
  if (isPage && fields !== null && set !== undefined) {
    const infos = fieldsAt(place.sets, 'pageInfo', walk).flatMap(({ selectionSet }) => selectionSet ?? []);
    if (lacks({ ...place, sets: infos }, 'hasNextPage')) missing.push({ set, field: 'pageInfo { hasNextPage }' });
  }
  // Without a total of their own, counts are compared with that of the list around them.
  const needsTotal = flags.includes('counted') && !flags.includes('complete') && lacks(outer, 'totalCount');
  if (needsTotal && outerSet !== undefined && Object.hasOwn(outer.fields ?? {}, 'totalCount')) {
    missing.push({ set: outerSet, field: 'totalCount' });
  }
  return {
    ...{ name, isPage, flags, missing },
    isLater: typeof after === 'string' && after !== '',
    first: isPage || !hasLimit ? null : typeof first === 'number' ? first : Number.NaN,
  };
}

/**
 * The query with the fields that its lists lack to say whether they have everything; null if they lack none, or if an
 * alias has the name of one. These fields never cost a call: they come with their lists.
 */
export function withMissing(document: DocumentNode, limits: readonly ListLimit[]): string | null {
  const missing = limits.flatMap((limit) => limit.missing);
  if (missing.length === 0) return null;
  const names = new Set(missing.map(({ field }) => field.split(' ')[0]));
  let isTaken = false;
  const rewritten = visit(document, {
    Field: ({ alias }) => {
      if (alias !== undefined && names.has(alias.value)) isTaken = true;
    },
    SelectionSet: (node) => {
      const texts = missing.filter(({ set }) => set === node).map(({ field }) => field);
      return texts.length === 0 ? undefined : { ...node, selections: [...node.selections, ...fieldsIn(texts)] };
    },
  });
  return isTaken ? null : print(rewritten);
}

function fieldsIn(texts: readonly string[]): SelectionSetNode['selections'] {
  const [operation] = parse(`{ ${texts.join(' ')} }`, { noLocation: true }).definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet.selections : [];
}

/** The places where the field with a response key is written, including in fragments. */
function fieldsAt(sets: readonly SelectionSetNode[], key: string, walk: FieldWalk): FieldNode[] {
  const found: FieldNode[] = [];
  walkFields(sets, walk, (field) => {
    if ((field.alias ?? field.name).value === key) found.push(field);
  });
  return found;
}

/** The fields of a type; of an interface, those of all its types. */
function fieldsOf(
  type: GraphQLNamedType | null | undefined,
  schema: GraphQLSchema | null,
): GraphQLFieldMap<unknown, unknown> | null {
  if (isObjectType(type)) return type.getFields();
  if (!isAbstractType(type) || schema === null) return null;
  return Object.assign({}, ...schema.getPossibleTypes(type).map((one) => one.getFields()));
}

function argumentOf(field: FieldNode, name: string, values: Readonly<Record<string, unknown>>): unknown {
  const argument = field.arguments?.find((one) => one.name.value === name);
  return argument && valueFromASTUntyped(argument.value, values);
}
