import { type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';

/** The variables of `@skip` and `@include` anywhere in a document. */
export function flagsIn(document: DocumentNode): ReadonlySet<string> {
  const flags = new Set<string>();
  visit(document, {
    Directive({ name, arguments: [condition] = [] }) {
      if (name.value !== 'skip' && name.value !== 'include') return;
      if (condition?.value.kind === Kind.VARIABLE) flags.add(condition.value.name.value);
    },
  });
  return flags;
}

/** The same with the default values that an operation gives them; false for one without. */
export function flagsOf(
  document: DocumentNode,
  { variableDefinitions = [] }: OperationDefinitionNode,
): ReadonlyMap<string, boolean> {
  const defaultOf = (flag: string): boolean => {
    const value = variableDefinitions.find(({ variable }) => variable.name.value === flag)?.defaultValue;
    return value?.kind === Kind.BOOLEAN && value.value;
  };
  return new Map([...flagsIn(document)].map((flag) => [flag, defaultOf(flag)]));
}
