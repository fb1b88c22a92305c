import {
  type FieldNode,
  type FragmentDefinitionNode,
  GraphQLIncludeDirective,
  GraphQLSkipDirective,
  getDirectiveValues,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  parse,
  type SelectionNode,
  type SelectionSetNode,
  valueFromASTUntyped,
} from 'graphql';
import type { SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import { fragmentsOf } from '../graph/fragments.js';

/** What an operation of a query plan selects, without skipped fields. */
export interface Selection {
  /** Response keys of the root fields. */
  readonly rootFields: readonly string[];
  /** Response keys and names of the fields selected on an entity, by the type conditions that it matches. */
  entityFields(matches: (condition: string) => boolean): ReadonlyMap<string, string>;
}

/** Reads the selection from the operation's text. Only failures need it, so it is not cached. */
export function readSelection({ query, variables, operationName }: SubgraphRequest): Selection {
  const document = parse(query, { noLocation: true });
  const root = getOperationAST(document, operationName);
  const scope = { fragments: fragmentsOf(document), variables: { ...defaultsOf(root), ...variables } };
  const all = (set: SelectionSetNode | undefined, matches: (condition: string) => boolean) =>
    collect(set, { ...scope, matches });
  const rootFields = all(root?.selectionSet, () => true);
  return {
    rootFields: rootFields.filter(isData).map(responseKey),
    entityFields: (matches) =>
      new Map(
        rootFields
          .filter(({ name }) => name.value === '_entities')
          .flatMap(({ selectionSet }) => all(selectionSet, matches))
          .filter(isData)
          .map((field) => [responseKey(field), field.name.value]),
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

/** Default values of variables: `@skip` and `@include` may use a variable that was not sent. */
function defaultsOf(operation: OperationDefinitionNode | null | undefined): Record<string, unknown> {
  return Object.fromEntries(
    (operation?.variableDefinitions ?? []).flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}

function isData({ name }: FieldNode): boolean {
  return name.value !== '__typename';
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
