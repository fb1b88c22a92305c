import {
  astFromValue,
  coerceInputValue,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLInterfaceType,
  type GraphQLObjectType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
  parse,
  print,
  SchemaMetaFieldDef,
  TypeMetaFieldDef,
  validate,
} from 'graphql';
import { type Chance, createChance } from '../../chance.js';
import { API_SCHEMA, VOLATILE } from './api-schema.js';
import { INTROSPECTION, ODD_ALIASES, ODD_VARIABLES, valuesOf } from './words.js';

/** What a caller sends. */
export interface Operation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  readonly operationName?: string;
}

/** A root field that an operation may have, with arguments that lead somewhere. */
export interface Root {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
  /** Fields from the root to a leaf, at most; 5 if omitted. */
  readonly depth?: number;
}

/** The response keys of one object, with the field that each stands for: equal keys must stand for equal fields. */
type Scope = Map<
  string,
  { readonly field: GraphQLField<unknown, unknown>; readonly text: string; readonly below: Scope }
>;
/** A variable and its value, sent or by default. */
interface Flag {
  readonly name: string;
  readonly value: boolean;
}

type Composite = GraphQLObjectType | GraphQLInterfaceType;

/** Fields of the root that no type lists. */
const META_FIELDS = new Map([SchemaMetaFieldDef, TypeMetaFieldDef].map((field) => [field.name, field]));

const DEPTH = 5;
/** Fields of one operation, about: a long one says less about what is wrong with it. */
const FIELDS = 40;

/** A valid operation over the graph that the seed determines: the same seed, the same operation. */
export function generatedOperation(seed: number, roots: readonly Root[]): Operation {
  // Two spreads of one fragment may want different things under one response key: then the next attempt is taken.
  for (let attempt = 0; ; attempt += 1) {
    const operation = writeOperation(createChance(seed * 1_000 + attempt), roots);
    const errors = validate(API_SCHEMA, parse(operation.query));
    if (errors.length === 0) return operation;
    if (attempt === 99)
      throw new Error(`No valid operation for seed ${seed}: ${errors[0]?.message}\n${operation.query}`);
  }
}

function writeOperation(chance: Chance, roots: readonly Root[]): Operation {
  const writer = createWriter(chance);
  const parts = Array.from({ length: 1 + chance.below(2) }, (_, index) => writer.root(chance.pick(roots), index));
  if (chance.once(12)) parts.push(`${chance.once(2) ? 'schema: ' : ''}${chance.pick(INTROSPECTION)}`);
  const selections = writer.spread('Query', parts);
  const { variables, declared, fragments } = writer;
  const name = declared.length > 0 || fragments.length > 0 || chance.once(2) ? chance.pick(['Generated', 'Query']) : '';
  const declarations = declared.length === 0 ? '' : `(${declared.join(', ')})`;
  const own = name === '' ? `{ ${selections} }` : `query ${name}${declarations} { ${selections} }`;
  if (name === '' || !chance.once(5)) return { query: [own, ...fragments].join('\n'), variables };
  const other = 'query Other($unused: Boolean = true) { __typename @include(if: $unused) }';
  const texts = chance.once(2) ? [own, other] : [other, own];
  return { query: [...texts, ...fragments].join('\n'), variables, operationName: name };
}

function createWriter(chance: Chance) {
  const variables: Record<string, unknown> = Object.create(null);
  const declared: string[] = [];
  const fragments: string[] = [];
  const flags: Flag[] = [];
  const spreads = new Map<string, string[]>();
  const rootScope: Scope = new Map();
  let fields = 0;

  /** A field of the root, under a key of its own unless it happens to be the same field again. */
  function root({ name, values, depth = DEPTH }: Root, index: number): string {
    const query = API_SCHEMA.getQueryType() as GraphQLObjectType;
    const field = (META_FIELDS.get(name) ?? query.getFields()[name]) as GraphQLField<unknown, unknown>;
    const key = index > 0 || chance.once(3) ? `${chance.pick(['r', 'id', 'missions', 'commune'])}${index}` : name;
    return fieldText({ field, key, scope: rootScope, depth, values, parent: query });
  }

  interface FieldOptions {
    readonly field: GraphQLField<unknown, unknown>;
    readonly key: string;
    readonly scope: Scope;
    readonly depth: number;
    readonly parent: Composite;
    readonly values?: Readonly<Record<string, unknown>>;
  }

  /** The text of one field; nothing if its key is taken by another one. */
  function fieldText({ field, key, scope, depth, parent, values }: FieldOptions): string {
    const taken = scope.get(key);
    if (taken !== undefined && (taken.field !== field || values !== undefined)) return '';
    const place = taken ?? { field, text: argumentsText(field, values), below: new Map() };
    scope.set(key, place);
    fields += 1;
    const named = getNamedType(field.type);
    const start = `${key === field.name ? '' : `${key}: `}${field.name}${place.text}`;
    if (!isObjectType(named) && !isInterfaceType(named)) return wrapped(`${start}${condition(4)}`, parent);
    // A condition on a field and one on all below it: what is left may be an object without fields.
    const emptied = chance.once(8);
    const below = selection(named, place.below, { depth: depth - 1, isEmptied: emptied });
    return wrapped(`${start}${condition(emptied ? 2 : 3)} { ${below} }`, parent);
  }

  interface SelectionOptions {
    readonly depth: number;
    readonly isEmptied: boolean;
  }

  function selection(type: Composite, scope: Scope, { depth, isEmptied }: SelectionOptions): string {
    const parts: string[] = [];
    const emptying = isEmptied ? flag() : '';
    const add = (part: string) => {
      if (part !== '') parts.push(emptying === '' ? part : `... ${emptying} { ${part} }`);
    };
    for (let left = 1 + chance.below(depth > 2 ? 4 : 5); left > 0; left -= 1) {
      const part = anyField(type, scope, depth);
      add(part);
      // Once more, with other fields below and conditions of its own.
      const again = scope.get([...scope.keys()].at(-1) ?? '');
      if (part !== '' && again !== undefined && chance.once(6)) {
        add(fieldText({ field: again.field, key: [...scope.keys()].at(-1) ?? '', scope, depth, parent: type }));
      }
    }
    if (isAbstractType(type)) add(onPossibleType(type, scope, depth));
    if (parts.length === 0 || chance.once(4)) add(`__typename${condition(6)}`);
    return spread(type.name, parts);
  }

  function anyField(type: Composite, scope: Scope, depth: number): string {
    const all = Object.values(type.getFields()).filter((one) => isSelected(type, one, depth));
    if (all.length === 0) return '';
    const composite = all.filter((one) => !isLeaf(one));
    // Otherwise the many values of a mission would leave joins few chances.
    const field = composite.length > 0 && fields < FIELDS && chance.once(2) ? chance.pick(composite) : chance.pick(all);
    if (!isLeaf(field) && fields >= FIELDS) return '';
    return fieldText({ field, key: keyOf(field, all), scope, depth, parent: type });
  }

  /** Usually the field's name; else that of a neighbour, or a word that means something to JavaScript or to a planner. */
  function keyOf(field: GraphQLField<unknown, unknown>, all: readonly GraphQLField<unknown, unknown>[]): string {
    if (!chance.once(4)) return field.name;
    return chance.once(5) ? chance.pick(ODD_ALIASES) : chance.pick(all).name;
  }

  function onPossibleType(type: GraphQLInterfaceType, scope: Scope, depth: number): string {
    const one = chance.pick(API_SCHEMA.getPossibleTypes(type));
    const text = anyField(one, scope, depth);
    return text === '' ? '' : `... on ${one.name}${condition(3)} { ${text} }`;
  }

  function wrapped(text: string, type: Composite): string {
    const kind = chance.below(12);
    if (kind === 0) return `... on ${type.name}${condition(2)} { ${text} }`;
    if (kind === 1) return `...${condition(1)} { ${text} }`;
    if (kind === 2) return spread(type.name, [text], true);
    return text;
  }

  /** Selections as they are, or some of them in a named fragment, old or new. */
  function spread(type: string, parts: readonly string[], always = false): string {
    if (!always && !chance.once(8)) return parts.join(' ');
    const old = spreads.get(type) ?? [];
    if (old.length > 0 && chance.once(3)) return [...parts, `...${chance.pick(old)}${condition(2)}`].join(' ');
    const at = chance.below(parts.length);
    const name = `${chance.pick(['F', 'Fields', 'constructor'])}${fragments.length}`;
    fragments.push(`fragment ${name} on ${type} { ${parts.slice(at).join(' ')} }`);
    spreads.set(type, [...old, name]);
    return [...parts.slice(0, at), `...${name}${condition(3)}`].join(' ');
  }

  /** A condition in one of so many cases. */
  function condition(times: number): string {
    if (!chance.once(times)) return '';
    return ` ${flag()}${chance.once(8) ? ` ${chance.once(2) ? '@skip(if: false)' : '@include(if: true)'}` : ''}`;
  }

  /** A flag by which, more often than not, something is there: of what is not, nothing can be wrong. */
  function flag(): string {
    const isThere = !chance.once(3);
    if (chance.once(3)) return directive(String(chance.once(2)), isThere);
    const { name, value } = flagVariable();
    return directive(`$${name}`, isThere, value);
  }

  function directive(condition: string, isThere: boolean, value = condition === 'true'): string {
    return `@${value === isThere ? 'include' : 'skip'}(if: ${condition})`;
  }

  /** One of few flags, so that one of them may decide in several places. */
  function flagVariable(): Flag {
    if (flags.length > 0 && !chance.once(3)) return chance.pick(flags);
    const name = nameOfVariable();
    const kind = chance.below(3);
    const [sent, other] = [chance.once(2), chance.once(2)];
    if (kind === 0) declared.push(`$${name}: Boolean!`);
    else declared.push(`$${name}: Boolean${kind === 1 ? '!' : ''} = ${other}`);
    const isSent = kind === 0 || chance.once(2);
    if (isSent) variables[name] = sent;
    const made = { name, value: isSent ? sent : other };
    flags.push(made);
    return made;
  }

  function nameOfVariable(): string {
    const odd = chance.pick(ODD_VARIABLES);
    return chance.once(6) && !declared.some((text) => text.startsWith(`$${odd}:`)) ? odd : `v${declared.length}`;
  }

  function argumentsText({ args }: GraphQLField<unknown, unknown>, values?: Readonly<Record<string, unknown>>): string {
    const texts = args.flatMap((argument) => {
      const { name } = argument;
      const known = values !== undefined && name in values;
      if (known) return [`${name}: ${valueText(argument, values[name])}`];
      const some = valuesOf(name, values === undefined).filter((value) => isOfType(argument.type, value));
      const isRare = values !== undefined || (name !== 'first' && name !== 'radius');
      if (some.length === 0 || !chance.once(isRare ? 12 : 1)) return [];
      return [`${name}: ${valueText(argument, chance.pick(some))}`];
    });
    return texts.length === 0 ? '' : `(${texts.join(', ')})`;
  }

  /** A literal, or a variable: with or without a default value, sent or not. */
  function valueText({ name: argument, type }: GraphQLArgument, value: unknown): string {
    if (!chance.once(3)) return literal(type, value);
    const name = nameOfVariable();
    const kind = chance.below(4);
    const isRequired = isNonNullType(type);
    if (kind === 0 && !isNull(value)) declared.push(`$${name}: ${getNullableType(type)} = ${literal(type, value)}`);
    else if (kind === 1 && !isRequired && !isNull(value)) {
      declared.push(`$${name}: ${type}! = ${literal(type, value)}`);
      variables[name] = coercible(type, value);
    } else {
      declared.push(`$${name}: ${type}`);
      // Without `first`, a list has 25 items, and lists in it multiply.
      if (isRequired || argument === 'first' || !chance.once(6))
        variables[name] = isNull(value) ? null : coercible(type, value);
    }
    return `$${name}`;
  }

  /** A list of one value may be sent as that value. */
  function coercible(type: GraphQLInputType, value: unknown): unknown {
    const isList = isListType(getNullableType(type));
    return isList && Array.isArray(value) && value.length === 1 && chance.once(2) ? value[0] : value;
  }

  return { root, spread, variables, declared, fragments };
}

function literal(type: GraphQLInputType, value: unknown): string {
  const node = astFromValue(value, type);
  if (node === undefined || node === null) throw new Error(`No literal of ${type} for ${JSON.stringify(value)}`);
  return print(node);
}

const isNull = (value: unknown) => value === null;

/** Whether a value fits: arguments of the same name may have several types. */
function isOfType(type: GraphQLInputType, value: unknown): boolean {
  let fits = true;
  coerceInputValue(value, type, () => {
    fits = false;
  });
  return fits;
}

function isLeaf({ type }: GraphQLField<unknown, unknown>): boolean {
  const named = getNamedType(type);
  return !isObjectType(named) && !isInterfaceType(named);
}

function isSelected(parent: Composite, field: GraphQLField<unknown, unknown>, depth: number): boolean {
  if (VOLATILE.has(`${parent.name}.${field.name}`)) return false;
  // Calls for each of 131 communes are more than a window of a service has.
  if (parent.name === 'Epci' && field.name === 'communes') return depth === 2;
  return depth > 1 || isLeaf(field);
}
