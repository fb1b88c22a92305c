import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  print,
  type SelectionNode,
  type SelectionSetNode,
  visit,
} from 'graphql';
import { type Flags, flagsOf, isSkipped } from '../graph/flags.js';
import { fragmentsOf } from '../graph/fragments.js';
import { createProgramCache } from '../graph/program-cache.js';
import { operationKey } from '../subgraphs/operation-key.js';
import type { PrivateNames } from './private-names.js';

/**
 * One operation of a client as the library gets it, for one choice of its `@skip` and `@include`. The planner answers
 * some operations wrongly, and without an error (architecture 5), so it never sees what misleads it:
 *
 * - *Conditions* are decided: only the selections of this choice are left. A set that they empty, for which the answer
 *   is `{}`, gets a `__typename` of a private name.
 * - *Fragments at the root* are written inline: the fields of a mutation then run in the order of the client.
 * - *Other operations*, and fragments that nothing spreads any more, are left out, and so is the name, so that equal
 *   operations have one plan.
 * - *Introspection* is apart, for graphql-js: the library's own model of it is older.
 */
export interface PreparedOperation {
  /** All of it, and the operation in it. */
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** What subgraphs answer; null if that is nothing. */
  readonly planned: PlannedDocument | null;
  /** What the schema itself answers; null if that is nothing. */
  readonly introspection: DocumentNode | null;
  /** Whether any field of the response has a private name. */
  readonly hasPrivateNames: boolean;
}

/** A document of one operation, with its text, by which its plan is known. */
export interface PlannedDocument {
  readonly document: DocumentNode;
  readonly text: string;
  readonly key: string;
}

/** The operations of one document of a client. */
export interface PreparedDocument {
  /** The operation of this name for these variables of the client; null if the document has none. */
  find(operationName: string | undefined, variables: Flags): FoundOperation | null;
}

/** An operation, with the variables under the names that it uses. */
export interface FoundOperation {
  readonly prepared: PreparedOperation;
  readonly variables: Flags;
}

/** Prepares a validated document; each operation once for each choice, of which a few are remembered. */
export function prepareDocument(document: DocumentNode, names: PrivateNames): PreparedDocument {
  const renamed = names.rename(document);
  const isRenamed = renamed.document !== document;
  const known = new Map<OperationDefinitionNode, (variables: Flags) => PreparedOperation>();

  function programOf(operation: OperationDefinitionNode) {
    const program = createProgramCache(flagsOf(renamed.document, operation), (flags) =>
      prepare(renamed.document, operation, { flags, names, isRenamed }),
    );
    known.set(operation, program);
    return program;
  }

  return {
    find(operationName, sent) {
      const operation = getOperationAST(renamed.document, operationName);
      if (!operation) return null;
      const variables = renamed.renameVariables(sent);
      const prepared = (known.get(operation) ?? programOf(operation))(variables);
      return { prepared, variables };
    },
  };
}

interface Choice {
  readonly flags: Flags;
  readonly names: PrivateNames;
  readonly isRenamed: boolean;
}

function prepare(document: DocumentNode, written: OperationDefinitionNode, choice: Choice): PreparedOperation {
  const { names, isRenamed } = choice;
  const decided = decide(document, choice);
  const root = decided.rootFields(written.selectionSet);
  const fields = root.length > 0 ? root : [typenameOf(names.ofNobody)];
  const { name: _, ...unnamed } = written;
  const documentOf = (selections: readonly FieldNode[]): DocumentNode => {
    const operation: OperationDefinitionNode = { ...unnamed, selectionSet: setOf(selections) };
    return { kind: Kind.DOCUMENT, definitions: [operation, ...decided.fragmentsOf(operation)] };
  };
  const ofSchema = fields.filter(({ name }) => name.value === '__schema' || name.value === '__type');
  const others = fields.filter((field) => !ofSchema.includes(field));
  const isPlanned = others.some(({ name }) => name.value !== '__typename');
  const whole = documentOf(fields);
  const operation = getOperationAST(whole);
  if (!operation) throw new Error('A document of one operation has none.');
  const [planned, introspection] = isPlanned ? [others, ofSchema] : [[], fields];
  return {
    document: whole,
    operation,
    planned: planned.length > 0 ? planDocument(planned === fields ? whole : documentOf(planned)) : null,
    introspection: introspection.length > 0 ? documentOf(introspection) : null,
    hasPrivateNames: isRenamed || root.length === 0 || decided.hasEmptied(),
  };
}

function planDocument(document: DocumentNode): PlannedDocument {
  const text = print(document);
  return { document, text, key: operationKey(text) };
}

/** What is left of a document's selections once its conditions are decided. */
interface Decided {
  /** The fields of a root, those of its fragments among them, in the order of the response. */
  rootFields(set: SelectionSetNode): FieldNode[];
  /** The fragments that an operation spreads, and those that they spread. */
  fragmentsOf(operation: OperationDefinitionNode): FragmentDefinitionNode[];
  /** Whether a set had nothing left. */
  hasEmptied(): boolean;
}

function decide(document: DocumentNode, { flags, names }: Choice): Decided {
  const written = fragmentsOf(document);
  const known = new Map<string, FragmentDefinitionNode | null>();
  let hasEmptied = false;

  /** Null if nothing of the fragment is left. */
  function fragment(name: string): FragmentDefinitionNode | null {
    const before = known.get(name);
    if (before !== undefined) return before;
    const definition = written.get(name);
    const selections = definition === undefined ? [] : selectionsOf(definition.selectionSet);
    const left = definition && selections.length > 0 ? { ...definition, selectionSet: setOf(selections) } : null;
    known.set(name, left);
    return left;
  }

  function selectionsOf({ selections }: SelectionSetNode): SelectionNode[] {
    return selections.flatMap((selection) => (isSkipped(selection, flags) ? [] : (select(selection) ?? [])));
  }

  /** A selection that is not skipped; null if nothing below it is left. */
  function select(selection: SelectionNode): SelectionNode | null {
    const { directives: _, ...bare } = selection;
    if (bare.kind === Kind.FRAGMENT_SPREAD) return fragment(bare.name.value) === null ? null : bare;
    if (bare.selectionSet === undefined) return bare;
    const below = selectionsOf(bare.selectionSet);
    if (below.length > 0) return { ...bare, selectionSet: setOf(below) };
    if (bare.kind === Kind.INLINE_FRAGMENT) return null;
    hasEmptied = true;
    return { ...bare, selectionSet: setOf([typenameOf(names.ofNobody)]) };
  }

  function rootFields(set: SelectionSetNode, spread = new Set<string>()): FieldNode[] {
    return set.selections.flatMap((selection) => {
      if (isSkipped(selection, flags)) return [];
      if (selection.kind === Kind.INLINE_FRAGMENT) return rootFields(selection.selectionSet, spread);
      if (selection.kind === Kind.FIELD) return (select(selection) as FieldNode | null) ?? [];
      const name = selection.name.value;
      const definition = spread.has(name) ? undefined : written.get(name);
      spread.add(name);
      return definition === undefined ? [] : rootFields(definition.selectionSet, spread);
    });
  }

  return {
    rootFields: (set) => rootFields(set),
    fragmentsOf(operation) {
      const found: FragmentDefinitionNode[] = [];
      const spread = new Set<string>();
      collectSpreads(operation, spread);
      // Iterating over a set also visits items that are added meanwhile.
      for (const name of spread) {
        const left = fragment(name);
        if (left === null) continue;
        found.push(left);
        collectSpreads(left, spread);
      }
      return found;
    },
    hasEmptied: () => hasEmptied,
  };
}

function collectSpreads(definition: OperationDefinitionNode | FragmentDefinitionNode, spread: Set<string>): void {
  visit(definition, { FragmentSpread: ({ name }) => void spread.add(name.value) });
}

function setOf(selections: readonly SelectionNode[]): SelectionSetNode {
  return { kind: Kind.SELECTION_SET, selections };
}

function typenameOf(alias: string): FieldNode {
  const name = (value: string) => ({ kind: Kind.NAME, value }) as const;
  return { kind: Kind.FIELD, alias: name(alias), name: name('__typename') };
}
