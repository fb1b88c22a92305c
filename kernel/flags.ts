import {
  type DirectiveNode,
  type DocumentNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  valueFromASTUntyped,
  visit,
} from 'graphql';

/** The default values of an operation's variables, as written. */
export function defaultsOf({
  variableDefinitions = [],
}: Pick<OperationDefinitionNode, 'variableDefinitions'>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    variableDefinitions.flatMap(({ variable, defaultValue }) =>
      defaultValue === undefined ? [] : [[variable.name.value, valueFromASTUntyped(defaultValue)]],
    ),
  );
}

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

/** Programs cached per operation: everything attached to a document needs a bound. */
export const MAX_PROGRAMS = 4;

/** Compiles an operation once for each choice of its flags. The program that was compiled first is evicted first. */
export function createProgramCache<P>(
  defaults: ReadonlyMap<string, boolean>,
  compile: (flags: Flags) => P,
): (variables: Flags) => P {
  const programs = new Map<string, P>();
  return (variables) => {
    const flagOf = (name: string, byDefault: boolean) =>
      Object.hasOwn(variables, name) ? variables[name] === true : byDefault;
    let key = '';
    for (const [name, byDefault] of defaults) key += flagOf(name, byDefault) ? '1' : '0';
    const known = programs.get(key);
    if (known !== undefined) return known;
    const flags: Record<string, boolean> = Object.create(null);
    for (const [name, byDefault] of defaults) flags[name] = flagOf(name, byDefault);
    const program = compile(flags);
    const [oldest] = programs.keys();
    if (programs.size === MAX_PROGRAMS && oldest !== undefined) programs.delete(oldest);
    programs.set(key, program);
    return program;
  };
}
