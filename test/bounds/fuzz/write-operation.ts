import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import type { Chance } from '../../sim/chance.js';
import { drawSize, type Edge, type Size } from './edges.js';
import { drawValue, printValue } from './values.js';
import type { Words } from './words.js';

/** A query that breaks no rule of the graph and stays just within its limits. */
export interface Operation {
  readonly edge: Edge;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** What queries are written from. */
export interface Source {
  readonly schema: GraphQLSchema;
  readonly words: Words;
}

/** The largest page of each list; any other list serves 1,000. */
const LARGEST_PAGE: Readonly<Record<string, number>> = {
  missions: 10_000,
  missionSearch: 10_000,
  organizations: 100,
  communesByName: 50,
};
const NO_PAGE = 20_000;
/** A page that no source serves counts as the largest. */
const REFUSED_COUNTS = 10_000;
/** Limited to two calls a minute, so a repeated query would wait. */
const SKIPPED: ReadonlySet<string> = new Set(['jobOfferExport']);

interface Fragment {
  readonly name: string;
  readonly fields: number;
  readonly aliases: number;
  readonly depth: number;
}

/** Writes a query at this edge; the same `chance` writes the same query. */
export function writeOperation({ schema, words }: Source, edge: Edge, chance: Chance): Operation {
  const size: Size = drawSize(edge, chance);
  const left = { fields: size.fields, aliases: size.aliases, items: size.items };
  const variables: Record<string, unknown> = {};
  const declared: string[] = [];
  const definitions: string[] = [];
  const fragments = new Map<string, Fragment[]>();
  let written = 0;

  function writeSelection(type: GraphQLObjectType, depth: number, rows: number): string {
    const known = fragments
      .get(type.name)
      ?.find((one) => one.depth <= depth && one.fields <= left.fields && one.aliases <= left.aliases);
    if (known !== undefined && chance.happens(size.fragments)) {
      left.fields -= known.fields;
      left.aliases -= known.aliases;
      return `{ ...${known.name} }`;
    }
    const before = { ...left };
    const set = writeFields(type, depth, rows);
    if (!chance.happens(size.fragments)) return `{ ${set} }`;
    if (chance.happens(0.3)) return `{ ... on ${type.name} { ${set} } }`;
    const name = `F${definitions.length}`;
    definitions.push(`fragment ${name} on ${type.name} { ${set} }`);
    // A fragment with pages is not spread again, because its items would count again.
    if (before.items === left.items) {
      const mine = { name, fields: before.fields - left.fields, aliases: before.aliases - left.aliases, depth };
      fragments.set(type.name, [...(fragments.get(type.name) ?? []), mine]);
    }
    return `{ ...${name} }`;
  }

  function writeFields(type: GraphQLObjectType, depth: number, rows: number): string {
    const fields = Object.values(type.getFields()).filter(({ name }) => !SKIPPED.has(name));
    const share = chance.pick([0.3, 1]);
    const leaves = fields.filter((field) => !leadsOn(field) && chance.happens(share));
    const parts: string[] = [];
    for (const field of leaves) parts.push(writeField(field, depth, rows));
    const onward = depth > 1 ? shuffled(fields.filter(leadsOn)).slice(0, chance.int(1, 3)) : [];
    for (const field of onward) parts.push(writeField(field, depth, rows));
    // The same fields again under aliases: each is read, shaped and written again.
    const again = [...leaves, ...onward];
    while (again.length > 0 && left.aliases > 0 && chance.happens(0.6))
      parts.push(writeField(chance.pick(again), depth, rows, true));
    const set = parts.filter((part) => part !== '').join(' ');
    if (set !== '') return set;
    left.fields -= 1;
    return '__typename';
  }

  /** Empty when the budget is spent. */
  function writeField(field: GraphQLField<unknown, unknown>, depth: number, rows: number, again = false): string {
    if (left.fields <= 1 || (again && left.aliases <= 0)) return '';
    const first = pageSize(field, rows);
    if (first === 0) return '';
    left.fields -= 1;
    if (again) left.aliases -= 1;
    if (first !== null) left.items -= rows * Math.min(first, REFUSED_COUNTS);
    const type = getNamedType(field.type);
    const below = isObjectType(type)
      ? ` ${writeSelection(type, depth - 1, rows * Math.min(first ?? 1, REFUSED_COUNTS))}`
      : '';
    const abstract = isAbstractType(type) ? ' { __typename }' : '';
    if (abstract !== '') left.fields -= 1;
    const alias = again ? `a${written++}: ` : '';
    return `${alias}${field.name}${writeArguments(field, first)}${writeDirectives()}${below}${abstract}`;
  }

  /** Null for a field without pages, 0 if no items are left. */
  function pageSize(field: GraphQLField<unknown, unknown>, rows: number): number | null {
    if (!field.args.some(({ name }) => name === 'first')) return null;
    if (rows > 1 && rows * REFUSED_COUNTS <= left.items && chance.happens(size.refusedPages)) return NO_PAGE;
    const most = Math.min(largestPage(field), Math.floor(left.items / rows));
    return most <= 1 ? most : chance.pick([most, Math.ceil(most / 2), Math.ceil(Math.sqrt(most)), Math.min(most, 3)]);
  }

  function writeArguments(field: GraphQLField<unknown, unknown>, first: number | null): string {
    const place = chance.happens(0.5);
    const texts = field.args
      .filter((arg) => arg.name !== 'first' && arg.name !== 'after')
      .filter((arg) => isNonNullType(arg.type) || (isPlace(arg.name) ? place : chance.happens(0.25)))
      .map(
        (arg) =>
          `${arg.name}: ${writeValue(arg, drawValue(arg, { field: field.name, words, chance, listLength: size.listLength }))}`,
      );
    const all = first === null ? texts : [`first: ${first}`, ...texts];
    return all.length === 0 ? '' : `(${all.join(', ')})`;
  }

  function writeValue(arg: GraphQLArgument, value: unknown): string {
    if (!chance.happens(size.variables)) return printValue(value, arg.type);
    const name = `v${declared.length}`;
    declared.push(`$${name}: ${arg.type}`);
    variables[name] = value;
    return `$${name}`;
  }

  function writeDirectives(): string {
    return chance.happens(size.directives) ? ' @include(if: true) @skip(if: false)' : '';
  }

  function shuffled<T>(values: readonly T[]): T[] {
    return values
      .map((value) => ({ value, at: chance.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ value }) => value);
  }

  const query = schema.getQueryType()!;
  const roots = shuffled(Object.values(query.getFields()).filter(({ name }) => !SKIPPED.has(name)));
  const sets = Array.from({ length: size.rootFields }, (_, index) => {
    const field = edge === 'rows' ? query.getFields()['missions']! : roots[index % roots.length]!;
    const text = writeField(field, size.depth, 1);
    return text === '' ? '' : `r${index}: ${text}`;
  }).filter((text) => text !== '');
  const head = declared.length === 0 ? 'query Q' : `query Q(${declared.join(', ')})`;
  return { edge, query: [`${head} { ${sets.join(' ') || '__typename'} }`, ...definitions].join('\n'), variables };
}

function largestPage({ name }: GraphQLField<unknown, unknown>): number {
  return LARGEST_PAGE[name] ?? 1_000;
}

function leadsOn({ type }: GraphQLField<unknown, unknown>): boolean {
  return isObjectType(getNamedType(type)) || isAbstractType(getNamedType(type));
}

function isPlace(name: string): boolean {
  return ['lat', 'lon', 'latitude', 'longitude'].includes(name);
}
