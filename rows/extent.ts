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
  print,
  type SelectionSetNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';
import { defaultsOf, type FieldWalk, fragmentsOf } from '../kernel/selections.js';
import { isPagedKey } from './lists.js';
import { fieldsAt, goesOn, pageOf, parseOperation } from './page-query.js';
import { isList, isObject, type Json, type JsonObject, readPath, type Step, writePath } from './path.js';

/** How much of a list a response has, as far as anything tells. */
export type Extent =
  | { readonly kind: 'all' }
  /** One page of the list, or of one that it is part of. `of` is null if the whole is not known. */
  | { readonly kind: 'page'; readonly list: string; readonly rows: number; readonly of: number | null }
  /** Pages below another list, of which some go on. */
  | { readonly kind: 'innerPages'; readonly list: string; readonly open: number; readonly pages: number }
  /** The largest groups of counts. `of` is null if it is only known that there are others. */
  | { readonly kind: 'largest'; readonly rows: number; readonly of: number | null }
  | { readonly kind: Lack }
  /** Errors left rows or cells empty. */
  | { readonly kind: 'failed'; readonly errors: number }
  /** There may be more: the response does not say, as it lacks these fields beside the list, or has `first` rows. */
  | { readonly kind: 'unknown'; readonly list: string; readonly lacks: string | null };

/** A response, as far as its extent depends on it. */
interface ExtentSource {
  readonly data: JsonObject | null | undefined;
  readonly errors: readonly { readonly path?: readonly (string | number)[] | undefined }[];
  /** Number of all errors, if the response lists only the first ones. */
  readonly errorCount?: number;
}

const CERTAIN: ReadonlySet<Extent['kind']> = new Set(['page', 'innerPages', 'largest']);

/** How much of the list at a path a response has: what is certain before what is not. */
export function extentOf(response: ExtentSource, path: string, limits: readonly ListLimit[]): Extent {
  const { data } = response;
  const steps = readPath(path);
  const lists = limits.map((limit) => listExtent(data ?? undefined, steps, limit));
  const certain = lists.find((extent) => extent !== null && CERTAIN.has(extent.kind));
  if (certain) return certain;
  const lack = lackOf(data, path) ?? (lists.some((extent) => extent?.kind === 'notComplete') ? 'notComplete' : null);
  if (lack !== null) return { kind: lack };
  const errors = errorsIn(response, steps);
  if (errors > 0) return { kind: 'failed', errors };
  return lists.find((extent) => extent !== null) ?? { kind: 'all' };
}

/** How many errors may have left rows of a list or their cells empty: rows repeat the values around them. */
export function errorsIn({ errors, errorCount = errors.length }: ExtentSource, steps: readonly Step[]): number {
  const [root] = steps;
  const unlisted = Math.max(0, errorCount - errors.length);
  if (root === undefined || !('key' in root)) return errors.length + unlisted;
  return unlisted + errors.filter(({ path }) => path?.[0] === undefined || path[0] === root.key).length;
}

/** What the lists at one place of the path lack; null if they have everything. */
function listExtent(data: Json | undefined, steps: readonly Step[], limit: ListLimit): Extent | null {
  const { at, isPage, isLater, first, flags, name } = limit;
  // Nothing says more of them, and there may be 100,000.
  if (!isPage && first === null && flags.length === 0) return null;
  const list = writePath(steps.slice(0, at + 1));
  const key = keyOf(steps[at - 1]);
  const isInner = steps.slice(0, at).some((step) => 'each' in step);
  let [pages, open] = [0, 0];
  let unknown: Extent | null = null;
  for (const [object, around] of objectsAt(data, steps.slice(0, at - 1))) {
    const rows = object[key];
    if (!isList(rows)) continue;
    if (object[`${name}Complete`] === false) return { kind: 'notComplete' };
    const groups = flags.includes(GROUP_COUNT) ? largestOf(object, rows.length) : null;
    if (groups !== null) return groups;
    const page = isPage ? pageOf(object, key) : null;
    const isWhole = page !== null && !isLater && page.totalCount !== null && rows.length >= page.totalCount;
    pages += 1;
    if (page !== null && (goesOn(page) || isLater)) {
      if (!isInner) return { kind: 'page', list, rows: rows.length, of: page.totalCount };
      open += 1;
    }
    const lacks = isWhole ? [] : lackingOf(object, around, flags);
    if (page !== null && page.hasNext === null && page.totalCount === null) lacks.push('pageInfo { hasNextPage }');
    if (lacks.length > 0) unknown ??= { kind: 'unknown', list, lacks: lacks.join(' ') };
    else if (first !== null && !(rows.length < first)) unknown ??= { kind: 'unknown', list, lacks: null };
    if (page === null && unknown !== null) return unknown;
  }
  return open > 0 ? { kind: 'innerPages', list, open, pages } : unknown;
}

/** The field of counts that says how many groups there are, and the one that says how many rows the others have. */
const [GROUP_COUNT, OTHERS] = ['groupCount', 'others'];

/** What an object says of groups of which it lists so many; null if these are all, or it says nothing. */
function largestOf({ groupCount, others }: JsonObject, rows: number): Extent | null {
  if (typeof groupCount === 'number' && groupCount > rows) return { kind: 'largest', rows, of: groupCount };
  return typeof others === 'number' && others > 0 ? { kind: 'largest', rows, of: null } : null;
}

/** The flags that an object does not have. */
function lackingOf(object: JsonObject, around: JsonObject | null, flags: readonly string[]): string[] {
  const { complete, counted, total = around?.['totalCount'] } = object;
  // Null where the source cannot say, which no selection changes.
  const isCounted = complete !== undefined || (typeof counted === 'number' && typeof total === 'number');
  return flags.filter((flag) => {
    if (flag === 'counted' && flags.includes('complete')) return false;
    if (flag === GROUP_COUNT) return typeof (object[GROUP_COUNT] ?? object[OTHERS]) !== 'number';
    return flag === 'complete' || flag === 'counted' ? !isCounted : typeof object[flag] !== 'boolean';
  });
}

/** The objects at the end of the steps, of all parents, each with the object around it. */
export function* objectsAt(
  value: Json | undefined,
  steps: readonly Step[],
  from = 0,
  around: JsonObject | null = null,
): Generator<readonly [JsonObject, JsonObject | null]> {
  const step = steps[from];
  if (step === undefined) {
    if (isObject(value)) yield [value, around];
  } else if ('key' in step) {
    if (isObject(value)) yield* objectsAt(value[step.key], steps, from + 1, value);
  } else if (isList(value)) {
    for (const item of value) yield* objectsAt(item, steps, from + 1, around);
  }
}

function keyOf(step: Step | undefined): string {
  return step !== undefined && 'key' in step ? step.key : '';
}

/** Why a list may lack rows, or its rows some of what they count, although its last page has been received. */
type Lack = 'truncated' | 'notComplete';

/** What an object on the path to a list says is lacking, as connections, searches and counts do beside their rows. */
export function lackOf(data: JsonObject | null | undefined, path: string): Lack | null {
  const steps = readPath(path);
  const list = steps.findLastIndex((step) => 'each' in step);
  for (const [at, step] of steps.slice(0, Math.max(0, list)).entries()) {
    if ('each' in step) continue;
    for (const [object, around] of objectsAt(data ?? undefined, steps.slice(0, at))) {
      const lack = ownLack(object, step.key, around);
      if (lack !== null) return lack;
    }
  }
  return null;
}

/** Facets count what the list `around` them has: its `totalCount` is their total. */
function ownLack(object: JsonObject, key: string, around: JsonObject | null): Lack | null {
  const { truncated, complete, counted, total = around?.['totalCount'], [`${key}Complete`]: ofList } = object;
  if (truncated === true) return 'truncated';
  const isLess = typeof counted === 'number' && typeof total === 'number' && counted < total;
  return complete === false || ofList === false || isLess ? 'notComplete' : null;
}

/** `1 row`, `2 rows`; in French `0 ligne`. */
export function countRows(rows: number, language: 'en' | 'fr'): string {
  return `${rows} ${language === 'fr' ? (rows < 2 ? 'ligne' : 'lignes') : rows === 1 ? 'row' : 'rows'}`;
}

const TEXTS = {
  en: {
    page: (rows: number, of: number | null, list: string | null) =>
      `one page of ${countRows(rows, 'en')}${of === null ? '' : ` of ${of}`}${list === null ? '' : ` of ${list}`}`,
    innerPages: (list: string, open: number, pages: number) =>
      `one page of each ${list}: ${open} of ${pages} have more rows`,
    largest: (rows: number, of: number | null) =>
      of === null
        ? `the ${rows} largest ${rows === 1 ? 'group' : 'groups'}, and there are others`
        : `the ${rows} largest of ${of} groups`,
    failed: (errors: number) => `${errors} ${errors === 1 ? 'error' : 'errors'} left rows or cells empty`,
    unselected: (list: string, lacks: string) => `perhaps not all: the query does not select ${lacks} beside ${list}`,
    limited: (list: string) => `perhaps not all: ${list} has as many rows as the query asks for`,
    truncated: 'the list is truncated: its source may have more rows than these',
    notComplete: 'the list is not complete: its rows and counts are a lower bound',
  },
  fr: {
    page: (rows: number, of: number | null, list: string | null) =>
      `une page de ${countRows(rows, 'fr')}${of === null ? '' : ` sur ${of}`}${list === null ? '' : ` de ${list}`}`,
    innerPages: (list: string, open: number, pages: number) =>
      `une page de chaque ${list} : ${open} sur ${pages} ont d’autres lignes`,
    largest: (rows: number, of: number | null) =>
      of === null
        ? `les ${rows} plus grands groupes, et il y en a d’autres`
        : `les ${rows} plus grands groupes sur ${of}`,
    failed: (errors: number) =>
      `${errors} ${errors === 1 ? 'erreur a laissé' : 'erreurs ont laissé'} vides des lignes ou des cellules`,
    unselected: (list: string, lacks: string) =>
      `peut-être pas tout : la requête ne sélectionne pas ${lacks} à côté de ${list}`,
    limited: (list: string) => `peut-être pas tout : ${list} a autant de lignes que la requête en demande`,
    truncated: 'la liste est tronquée : sa source a peut-être d’autres lignes que celles-ci',
    notComplete: 'la liste est incomplète : ce qu’elle contient et compte est un minimum',
  },
};

/** What the rows of the list at `path` lack, for a file; null if nothing. */
export function describeExtent(extent: Extent, path: string, language: keyof typeof TEXTS): string | null {
  const texts = TEXTS[language];
  switch (extent.kind) {
    case 'all':
      return null;
    case 'page':
      return texts.page(extent.rows, extent.of, extent.list === path ? null : plain(extent.list));
    case 'innerPages':
      return texts.innerPages(plain(extent.list), extent.open, extent.pages);
    case 'largest':
      return texts.largest(extent.rows, extent.of);
    case 'failed':
      return texts.failed(extent.errors);
    case 'unknown':
      return extent.lacks === null
        ? texts.limited(plain(extent.list))
        : texts.unselected(plain(extent.list), extent.lacks);
    default:
      return texts[extent.kind];
  }
}

function plain(list: string): string {
  return list.replaceAll('[]', '');
}

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
  /** Whether its connection may report how many rows there are, as far as the graph is known. */
  readonly hasTotal: boolean;
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
interface LimitedQuery {
  readonly document: DocumentNode;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** The fields by which the outermost list on a path reports how many rows there are, and whether it has them all. */
export function countsOf([list]: readonly ListLimit[]): string[] {
  if (list === undefined) return [];
  return [...(list.hasTotal ? ['totalCount'] : []), ...list.flags];
}

/** The limits of the lists on a path, as far as the path alone tells: for a query that is not known. */
export function limitsOfPath(path: string): ListLimit[] {
  const steps = readPath(path);
  return steps.flatMap((step, index) => {
    if (!('key' in step) || steps[index + 1] === undefined || 'key' in (steps[index + 1] ?? {})) return [];
    const isPage = isPagedKey(step.key);
    return [
      { at: index + 1, name: step.key, isPage, isLater: false, hasTotal: false, first: null, flags: [], missing: [] },
    ];
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
    const found = fieldsAt(place.sets, [step.key], walk);
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
  const flags = ['truncated', 'complete', 'counted', `${name}Complete`, GROUP_COUNT].filter(
    (flag) => fields !== null && Object.hasOwn(fields, flag),
  );
  const lacks = ({ sets }: Place, key: string) => fieldsAt(sets, [key], walk).length === 0;
  const [set, outerSet] = [place.sets[0], outer.sets[0]];
  const missing = flags
    .filter((flag) => !(flag === 'counted' && flags.includes('complete')) && lacks(place, flag))
    .filter((flag) => flag !== GROUP_COUNT || lacks(place, OTHERS))
    .flatMap((flag) => (set === undefined ? [] : [{ set, field: flag }]));
  if (isPage && fields !== null && set !== undefined) {
    if (fieldsAt(place.sets, ['pageInfo', 'hasNextPage'], walk).length === 0)
      missing.push({ set, field: 'pageInfo { hasNextPage }' });
  }
  // Without a total of their own, counts are compared with that of the list around them.
  const needsTotal = flags.includes('counted') && !flags.includes('complete') && lacks(outer, 'totalCount');
  if (needsTotal && outerSet !== undefined && Object.hasOwn(outer.fields ?? {}, 'totalCount')) {
    missing.push({ set: outerSet, field: 'totalCount' });
  }
  return {
    ...{ name, isPage, flags, missing },
    isLater: typeof after === 'string' && after !== '',
    hasTotal: isPage && fields !== null && Object.hasOwn(fields, 'totalCount'),
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
      if (texts.length === 0) return undefined;
      const { selections } = parseOperation(`{ ${texts.join(' ')} }`).selectionSet;
      return { ...node, selections: [...node.selections, ...selections] };
    },
  });
  return isTaken ? null : print(rewritten);
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
