import { type FieldNode, getOperationAST, parse, type SelectionSetNode } from 'graphql';
import { defaultsOf } from '../../kernel/flags.js';
import { fragmentsOf, walkFields } from '../../kernel/selections.js';
import type { SubgraphRequest } from '../../runtime/subgraph-execution.js';

/** Names of fields by their response keys. */
export type FieldNames = ReadonlyMap<string, string>;

/** What an operation of a query plan selects, without skipped fields. */
export interface Selection {
  /** Response keys and names of the root fields. */
  readonly rootFields: FieldNames;
  /** The fields below a root field, `__typename` included, by the type conditions that an object matches. */
  fieldsBelow(rootKey: string, matches: (condition: string) => boolean): FieldNames;
}

/** Reads the selection from the operation's text. Only failures need it, so it is not cached. */
export function readSelection({ query, variables, operationName }: SubgraphRequest): Selection {
  const document = parse(query, { noLocation: true });
  const root = getOperationAST(document, operationName);
  const fragments = fragmentsOf(document);
  const scope = {
    findFragment: (name: string) => fragments.get(name),
    flags: { ...(root && defaultsOf(root)), ...variables },
  };

  function fieldsIn(set: SelectionSetNode | undefined, applies: (condition: string) => boolean): FieldNode[] {
    const fields: FieldNode[] = [];
    if (set !== undefined) walkFields([set], { ...scope, applies }, (field) => fields.push(field));
    return fields;
  }

  const rootFields = fieldsIn(root?.selectionSet, () => true);
  return {
    rootFields: namesOf(rootFields.filter(({ name }) => name.value !== '__typename')),
    fieldsBelow: (rootKey, matches) =>
      namesOf(
        rootFields
          .filter((field) => responseKey(field) === rootKey)
          .flatMap(({ selectionSet }) => fieldsIn(selectionSet, matches)),
      ),
  };
}

function namesOf(fields: readonly FieldNode[]): FieldNames {
  return new Map(fields.map((field) => [responseKey(field), field.name.value]));
}

function responseKey({ alias, name }: FieldNode): string {
  return alias?.value ?? name.value;
}
