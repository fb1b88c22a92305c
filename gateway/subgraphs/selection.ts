import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  getOperationAST,
  Kind,
  parse,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import type { SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import { fragmentsOf } from '../graph/fragments.js';
import { defaultsOf } from '../graph/variable-defaults.js';

/** Names of fields by their response keys. */
export type FieldNames = ReadonlyMap<string, string>;

/** What an operation of a query plan selects, without skipped fields. */
export interface Selection {
  /** Response keys and names of the root fields. */
  readonly rootFields: FieldNames;
  /** Those of the fields below a root field, `__typename` among them, by the type conditions that an object matches. */
  fieldsBelow(rootKey: string, matches: (condition: string) => boolean): FieldNames;
}

/** Reads the selection from the operation's text. Only failures need it, so it is not cached. */
export function readSelection({ query, variables, operationName }: SubgraphRequest): Selection {
  const document = parse(query, { noLocation: true });
  const root = getOperationAST(document, operationName);
  const scope = { fragments: fragmentsOf(document), variables: { ...(root && defaultsOf(root)), ...variables } };
  const all = (set: SelectionSetNode | undefined, matches: (condition: string) => boolean) =>
    collect(set, { ...scope, matches });
  const rootFields = all(root?.selectionSet, () => true);
  return {
    rootFields: namesOf(rootFields.filter(({ name }) => name.value !== '__typename')),
    fieldsBelow: (rootKey, matches) =>
      namesOf(
        rootFields
          .filter((field) => responseKey(field) === rootKey)
          .flatMap(({ selectionSet }) => all(selectionSet, matches)),
      ),
  };
}

interface Scope {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>;
  readonly variables: Readonly<Record<string, unknown>>;
  matches(condition: string): boolean;
}

function collect(set: SelectionSetNode | undefined, scope: Scope): FieldNode[] {
  return (set?.selections ?? [])
    .filter((selection) => isIncluded(selection, scope))
    .flatMap((selection) => {
      if (selection.kind === Kind.FIELD) return [selection];
      const fragment = selection.kind === Kind.FRAGMENT_SPREAD ? scope.fragments.get(selection.name.value) : selection;
      const condition = fragment?.typeCondition?.name.value;
      return condition === undefined || scope.matches(condition) ? collect(fragment?.selectionSet, scope) : [];
    });
}

function isIncluded(selection: SelectionNode, { variables }: Scope): boolean {
  return (
    getDirectiveValues(GraphQLSkipDirective, selection, variables)?.['if'] !== true &&
    getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.['if'] !== false
  );
}

function namesOf(fields: readonly FieldNode[]): FieldNames {
  return new Map(fields.map((field) => [responseKey(field), field.name.value]));
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
