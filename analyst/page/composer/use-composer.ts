import { useGraphiQL } from '@graphiql/react';
import type { GraphQLArgument, GraphQLSchema, ValueNode } from 'graphql';
import { Kind } from 'graphql';
import { useMemo } from 'react';
import { useQueryText, useVariablesText } from '../tabs/editors.js';
import type { Declaration } from '../variables/declarations.js';
import { readValues, type VariableValues, writeValue } from '../variables/values.js';
import { useDeclarations } from '../variables/variables-form.js';
import { type Draft, type Edited, readDraft, selectionAt, toggleArgument, toggleField } from './edit-query.js';
import type { Path } from './tree.js';

/** The query in front, as it is ticked. */
export interface Composer {
  readonly schema: GraphQLSchema;
  readonly draft: Draft;
  /** The variables of the query. */
  readonly declarations: readonly Declaration[];
  readonly values: VariableValues;
  has(path: Path): boolean;
  toggle(path: Path): void;
  /** The value of an argument in the query; null if it has none. */
  argument(path: Path, name: string): ValueNode | null;
  toggleArgument(path: Path, argument: GraphQLArgument): void;
  /** Sets the value of a variable; undefined removes it. */
  setValue(name: string, value: unknown): void;
}

/** The composer of the query in front; null while that cannot be parsed. */
export function useComposer(): Composer | null {
  const schema = useGraphiQL((state) => state.schema);
  const operationName = useGraphiQL((state) => state.operationName);
  const queryEditor = useGraphiQL((state) => state.queryEditor);
  const variableEditor = useGraphiQL((state) => state.variableEditor);
  const text = useQueryText();
  const variables = useVariablesText();
  const declarations = useDeclarations(text, operationName);
  const draft = useMemo(() => readDraft(text, operationName ?? null), [text, operationName]);
  if (!schema || draft === null) return null;
  const values = readValues(variables) ?? {};
  const apply = ({ query, dropped }: Edited): void => {
    const model = queryEditor?.getModel();
    if (!queryEditor || !model) return;
    // As an edit, so that the editor can undo it.
    queryEditor.pushUndoStop();
    queryEditor.executeEdits('composer', [{ range: model.getFullModelRange(), text: query }]);
    queryEditor.pushUndoStop();
    const left = Object.keys(values).filter((name) => !dropped.includes(name));
    if (left.length < Object.keys(values).length) {
      const kept = Object.fromEntries(left.map((name) => [name, values[name]]));
      variableEditor?.setValue(left.length === 0 ? '' : JSON.stringify(kept, null, 2));
    }
  };
  return {
    schema,
    draft,
    declarations,
    values,
    has: (path) => selectionAt(draft, schema, path) !== undefined,
    toggle: (path) => apply(toggleField(draft, schema, path)),
    argument(path, name) {
      const field = selectionAt(draft, schema, path);
      if (field?.kind !== Kind.FIELD) return null;
      return field.arguments?.find((one) => one.name.value === name)?.value ?? null;
    },
    toggleArgument: (path, argument) => apply(toggleArgument(draft, schema, path, argument)),
    setValue: (name, value) => variableEditor?.setValue(writeValue(values, name, value)),
  };
}
