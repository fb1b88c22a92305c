import { type DirectiveNode, type DocumentNode, Kind, type OperationDefinitionNode, visit } from 'graphql';
import { defaultsOf } from './variable-defaults.js';

/** The variable that a `@skip` or `@include` depends on; null for one that is written out, and for other directives. */
function flagOf({ name, arguments: [condition] = [] }: DirectiveNode): string | null {
  if (name.value !== 'skip' && name.value !== 'include') return null;
  return condition?.value.kind === Kind.VARIABLE ? condition.value.name.value : null;
}

/** The variables of `@skip` and `@include` anywhere in a document. */
export function flagsIn(document: DocumentNode): ReadonlySet<string> {
  const flags = new Set<string>();
  visit(document, {
    Directive(directive) {
      const flag = flagOf(directive);
      if (flag !== null) flags.add(flag);
    },
  });
  return flags;
}

/** The same with the default values that an operation gives them; false for one without. */
export function flagsOf(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, boolean> {
  const defaults = defaultsOf(operation);
  return new Map([...flagsIn(document)].map((flag) => [flag, defaults[flag] === true]));
}
