import {
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  visit,
} from 'graphql';
import { defaultsOf } from './variable-defaults.js';

/** Values of variables, including those of `@skip` and `@include`. */
export type Flags = Readonly<Record<string, unknown>>;

/** The condition of a `@skip` or `@include`; undefined for other directives. */
function conditionOf({ name, arguments: [condition] = [] }: DirectiveNode) {
  return name.value === 'skip' || name.value === 'include' ? condition?.value : undefined;
}

/** Whether `@skip` or `@include` excludes a selection. */
export function isSkipped({ directives = [] }: SelectionNode, flags: Flags): boolean {
  return directives.some((directive) => {
    const condition = conditionOf(directive);
    if (condition === undefined) return false;
    const value =
      condition.kind === Kind.VARIABLE
        ? flags[condition.name.value]
        : condition.kind === Kind.BOOLEAN && condition.value;
    return directive.name.value === 'skip' ? value === true : value !== true;
  });
}

/** The variables of `@skip` and `@include` anywhere in a document. */
export function flagsIn(document: DocumentNode): ReadonlySet<string> {
  const flags = new Set<string>();
  visit(document, {
    Directive(directive) {
      const condition = conditionOf(directive);
      if (condition?.kind === Kind.VARIABLE) flags.add(condition.name.value);
    },
  });
  return flags;
}

/** The same, each with the default value that an operation gives it; false if it has none. */
export function flagsOf(document: DocumentNode, operation: OperationDefinitionNode): ReadonlyMap<string, boolean> {
  const defaults = defaultsOf(operation);
  return new Map([...flagsIn(document)].map((flag) => [flag, defaults[flag] === true]));
}
