import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  type InlineFragmentNode,
  isLeafType,
  isRequiredArgument,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
  parse,
  parseType,
  print,
  type SelectionNode,
  type SelectionSetNode,
  type VariableDefinitionNode,
} from 'graphql';
import { operationNamed, variablesIn } from '../request/operation.js';
import { connectionOf, fieldsOf, type Path, typeAfter } from './tree.js';

/** The query in the editor, as the composer edits it. */
export interface Draft {
  readonly text: string;
  readonly document: DocumentNode;
  /** The operation that is composed; null in an empty text. */
  readonly operation: OperationDefinitionNode | null;
}

/** The text of an edited query, and the variables that it no longer has. */
export interface Edited {
  readonly query: string;
  readonly dropped: readonly string[];
}

/** Reads a query; null if it cannot be parsed. Text with comments alone is empty. */
export function readDraft(text: string, operationName: string | null): Draft | null {
  if (text.replaceAll(/#[^\n]*/g, '').trim() === '') {
    return { text, document: { kind: Kind.DOCUMENT, definitions: [] }, operation: null };
  }
  try {
    const document = parse(text);
    return { text, document, operation: operationNamed(document, operationName) ?? null };
  } catch {
    return null;
  }
}

/** The type whose fields the operation selects; that which has a field of this name while there is no operation. */
export function rootOf({ operation }: Draft, schema: GraphQLSchema, name = ''): GraphQLNamedType | undefined {
  const kinds = operation === null ? [OperationTypeNode.QUERY, OperationTypeNode.MUTATION] : [operation.operation];
  const roots = kinds.flatMap((kind) => schema.getRootType(kind) ?? []);
  return roots.find((root) => name in root.getFields()) ?? roots[0];
}

type Step = FieldNode | InlineFragmentNode;

/** What a query selects at a path; undefined if it does not. */
export function selectionAt(draft: Draft, schema: GraphQLSchema, path: Path): Step | undefined {
  let set = draft.operation?.selectionSet;
  let found: Step | undefined;
  for (const step of placed(draft, schema, path)) {
    found = stepIn(set, step);
    set = found?.selectionSet;
  }
  return found;
}

/** Selects what is at a path, with all that leads to it, or no longer selects it. */
export function toggleField(draft: Draft, schema: GraphQLSchema, path: Path): Edited {
  const isThere = selectionAt(draft, schema, path) !== undefined;
  return edited(draft, schema, path, (found, create) => (isThere ? null : (found ?? create(true))));
}

/** Makes an argument of the field at a path a variable, or removes it. */
export function toggleArgument(draft: Draft, schema: GraphQLSchema, path: Path, argument: GraphQLArgument): Edited {
  return edited(draft, schema, path, (found, create, variableFor) => {
    const field = found ?? create(true);
    if (field.kind !== Kind.FIELD) return field;
    const others = (field.arguments ?? []).filter(({ name }) => name.value !== argument.name);
    const isThere = others.length < (field.arguments ?? []).length;
    const one = isThere ? [] : [variableFor(argument, field.name.value)];
    return { ...field, arguments: [...others, ...one] };
  });
}

/** What becomes of the last step of a path; null removes it. `create` makes the step if there is none. */
type Change = (
  found: Step | undefined,
  create: (isLast: boolean) => Step,
  variableFor: (argument: GraphQLArgument, field: string) => ArgumentNode,
) => Step | null;

function edited(draft: Draft, schema: GraphQLSchema, path: Path, change: Change): Edited {
  const definitions = [...(draft.operation?.variableDefinitions ?? [])];
  const variableFor = (argument: GraphQLArgument, field: string): ArgumentNode => {
    const definition = definitionFor(argument, field, definitions);
    definitions.push(definition);
    return { kind: Kind.ARGUMENT, name: named(argument.name), value: definition.variable };
  };
  const inside = (
    set: SelectionSetNode | undefined,
    type: GraphQLNamedType | undefined,
    steps: Path,
  ): SelectionSetNode | null => {
    const [step = '', ...rest] = steps;
    const after = typeAfter(schema, type, step);
    const found = stepIn(set, step);
    const create = (isLast: boolean): Step => {
      const required = fieldsOf(type)[step]?.args.filter(isRequiredArgument) ?? [];
      return created(
        step,
        required.map((argument) => variableFor(argument, step)),
        selectionOf(after, isLast),
      );
    };
    const next = rest.length === 0 ? change(found, create, variableFor) : within(found ?? create(false), after, rest);
    return replaced(set, found, next);
  };
  const within = (step: Step, type: GraphQLNamedType | undefined, rest: Path): Step | null => {
    const selectionSet = inside(step.selectionSet, type, rest);
    return selectionSet && { ...step, selectionSet };
  };
  const root = rootOf(draft, schema, path[0]);
  const selectionSet = inside(draft.operation?.selectionSet, root, placed(draft, schema, path));
  const operation = draft.operation ?? begun(path[0] ?? '', root === schema.getMutationType());
  return written(draft, selectionSet && { ...operation, selectionSet }, definitions);
}

/** The steps in a query that a path means: its rows are `edges { node }` where the query has these, or they say more. */
function placed(draft: Draft, schema: GraphQLSchema, path: Path): string[] {
  const steps: string[] = [];
  let type = rootOf(draft, schema, path[0]);
  let set = draft.operation?.selectionSet;
  for (const step of path) {
    const connection = connectionOf(type);
    const isByEdges =
      step === 'nodes' && connection !== null && stepIn(set, 'nodes') === undefined
        ? stepIn(set, 'edges') !== undefined || connection.ofEdges.length > 0
        : false;
    for (const one of isByEdges ? ['edges', 'node'] : [step]) {
      steps.push(one);
      set = stepIn(set, one)?.selectionSet;
      type = typeAfter(schema, type, one);
    }
  }
  return steps;
}

function stepIn(set: SelectionSetNode | undefined, step: string): Step | undefined {
  for (const one of set?.selections ?? []) {
    if (one.kind === Kind.FIELD && one.name.value === step) return one;
    if (one.kind === Kind.INLINE_FRAGMENT && `...${one.typeCondition?.name.value}` === step) return one;
  }
  return undefined;
}

function replaced(set: SelectionSetNode | undefined, found: Step | undefined, next: Step | null) {
  const all: readonly SelectionNode[] = set?.selections ?? [];
  const others = all.flatMap((one) => (one === found ? (next ?? []) : one));
  const selections = found === undefined && next !== null ? [...others, next] : others;
  return selections.length === 0 ? null : ({ kind: Kind.SELECTION_SET, selections } satisfies SelectionSetNode);
}

function created(step: string, args: readonly ArgumentNode[], selectionSet: SelectionSetNode | null): Step {
  const [, type] = /^\.\.\.(.+)$/.exec(step) ?? [];
  if (type === undefined) {
    return { kind: Kind.FIELD, name: named(step), arguments: args, ...(selectionSet && { selectionSet }) };
  }
  return {
    kind: Kind.INLINE_FRAGMENT,
    typeCondition: { kind: Kind.NAMED_TYPE, name: named(type) },
    selectionSet: selectionSet ?? { kind: Kind.SELECTION_SET, selections: [] },
  };
}

/** What is selected of a type by itself: of a connection its pages and its count, and of a last step what names it. */
function selectionOf(type: GraphQLNamedType | undefined, isLast: boolean): SelectionSetNode | null {
  if (type === undefined || isLeafType(type)) return null;
  const connection = connectionOf(type);
  if (connection === null) return isLast ? selections([nameIn(type)]) : null;
  const { rows, ofEdges, counts } = connection;
  const row = nameIn(rows);
  const list = ofEdges.length > 0 ? `edges { node { ${row} } }` : `nodes { ${row} }`;
  return selections([...counts, 'pageInfo { hasNextPage endCursor }', ...(isLast ? [list] : [])]);
}

function selections(texts: readonly string[]): SelectionSetNode | null {
  const [operation] = parse(`{ ${texts.join(' ')} }`, { noLocation: true }).definitions;
  return operation?.kind === Kind.OPERATION_DEFINITION ? operation.selectionSet : null;
}

/** Fields that name what they are in, best first. */
const NAMES = ['nom', 'name', 'title', 'intitule', 'label', 'libelle', 'raisonSociale', 'code', 'key', 'id'];

/** Levels below which no name is looked for. */
const MAX_DEPTH = 4;

/** A field that names what it is in, or the first one, as it is written. */
function nameIn(type: GraphQLNamedType | undefined, depth = 0): string {
  const fields = Object.values(fieldsOf(type)).filter(({ args }) => !args.some(isRequiredArgument));
  const rank = (name: string): number => NAMES.indexOf(name) >>> 0;
  const leaves = fields.filter((field) => isLeafType(getNamedType(field.type)));
  const [best] = leaves.toSorted((one, other) => rank(one.name) - rank(other.name));
  if (best !== undefined) return best.name;
  const [first] = fields;
  if (first === undefined || depth === MAX_DEPTH) return '__typename';
  return `${first.name} { ${nameIn(getNamedType(first.type), depth + 1)} }`;
}

/** Declares a variable for an argument, named after it, or after its field too if that name is taken. */
function definitionFor(
  { name, type, defaultValue }: GraphQLArgument,
  field: string,
  taken: readonly VariableDefinitionNode[],
): VariableDefinitionNode {
  const names = new Set(taken.map(({ variable }) => variable.name.value));
  const long = field + capitalized(name);
  let free = names.has(name) ? long : name;
  for (let number = 2; names.has(free); number += 1) free = `${long}${number}`;
  // Without a value, what has a default in the schema takes that.
  const declared = String(defaultValue === undefined ? type : getNullableType(type));
  return {
    kind: Kind.VARIABLE_DEFINITION,
    variable: { kind: Kind.VARIABLE, name: named(free) },
    type: parseType(declared, { noLocation: true }),
  };
}

/** The text with the operation replaced: its other definitions and the comments around them stay as they are. */
function written(
  { text, document, operation }: Draft,
  next: OperationDefinitionNode | null,
  definitions: readonly VariableDefinitionNode[],
): Edited {
  const before = text.slice(0, operation?.loc?.start ?? text.length);
  const after = text.slice(operation?.loc?.end ?? text.length);
  const fragments = document.definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
  const selected = next === null ? [] : [next.selectionSet, ...(next.directives ?? [])];
  const used = new Set([...fragments, ...selected].flatMap(variablesIn));
  const isUsed = ({ variable }: VariableDefinitionNode): boolean => used.has(variable.name.value);
  const dropped = definitions.filter((one) => !isUsed(one)).map(({ variable }) => variable.name.value);
  if (next === null) return { query: `${before}${after}`.trim(), dropped };
  const space = operation === null && before.trim() !== '' ? `${before.trimEnd()}\n` : before;
  return { query: space + print({ ...next, variableDefinitions: definitions.filter(isUsed) }) + after, dropped };
}

/** A new operation, named after the field that it begins with, as tabs and files are named after operations. */
function begun(field: string, isMutation: boolean): OperationDefinitionNode {
  return {
    kind: Kind.OPERATION_DEFINITION,
    operation: isMutation ? OperationTypeNode.MUTATION : OperationTypeNode.QUERY,
    name: named(capitalized(field)),
    selectionSet: { kind: Kind.SELECTION_SET, selections: [] },
  };
}

function capitalized(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function named(value: string) {
  return { kind: Kind.NAME, value } as const;
}
