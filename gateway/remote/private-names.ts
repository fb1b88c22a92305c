import { type DocumentNode, type FieldNode, type NameNode, visit } from 'graphql';
import type { SupergraphMap } from '../../kernel/supergraph.js';

/**
 * Renames aliases that would confuse the planner. It silently mistakes an alias that equals another field of the same
 * type, `{ city: title }`, for the field that a join requires (architecture 5, federation#3036), so the alias gets a
 * prefix before planning. A name that already has the prefix gets another: removing one always restores the client's
 * name. The same is done for a variable `$representations`, since plans use that name themselves.
 */
export interface PrivateNames {
  /** The document for the planner. */
  rename(document: DocumentNode): RenamedDocument;
  /** The alias of a field that no client has selected. Restoring names leaves it out. */
  readonly ofNobody: string;
  /** The client's name for a name in the response. */
  restoreName(name: string): string;
  /** A message with private names replaced by the client's. */
  restoreText(text: string): string;
  /** A copy of the data with the client's names. */
  restoreData(data: Readonly<Record<string, unknown>>): Record<string, unknown>;
}

/** A document with private names. */
export interface RenamedDocument {
  readonly document: DocumentNode;
  /** The client's variables under their new names. */
  renameVariables(variables: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>;
}

/** Private names for one supergraph, with a prefix that none of its fields has. */
export function createPrivateNames(supergraph: SupergraphMap): PrivateNames {
  const prefix = choosePrefix(supergraph);
  const restoreName = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const restore = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restore);
    const restored: Record<string, unknown> = Object.create(null);
    for (const [key, below] of Object.entries(value)) if (key !== prefix) restored[restoreName(key)] = restore(below);
    return restored;
  };
  return {
    rename: (document) => rename(document, prefix, supergraph),
    ofNobody: prefix,
    restoreName,
    restoreText: (text) => text.replaceAll(prefix, ''),
    restoreData: (data) => restore(data) as Record<string, unknown>,
  };
}

function choosePrefix(supergraph: SupergraphMap): string {
  let prefix = 'private_';
  while (supergraph.hasFieldPrefix(prefix)) prefix += '_';
  return prefix;
}

function rename(document: DocumentNode, prefix: string, supergraph: SupergraphMap): RenamedDocument {
  const needsPrefix = (name: string, taken: boolean) => taken || name.startsWith(prefix);
  const prefixed = (name: NameNode): NameNode => ({ ...name, value: prefix + name.value });
  const variables = new Set<string>();
  const types: string[] = [];
  const leave = () => {
    types.pop();
  };
  const renamed = visit(document, {
    OperationDefinition: { enter: ({ operation }) => void types.push(supergraph.rootType(operation)), leave },
    FragmentDefinition: { enter: ({ typeCondition }) => void types.push(typeCondition.name.value), leave },
    InlineFragment: {
      enter: ({ typeCondition }) => void types.push(typeCondition?.name.value ?? types.at(-1) ?? ''),
      leave,
    },
    Field: {
      enter(field) {
        const parent = types.at(-1) ?? '';
        types.push(supergraph.field(parent, field.name.value)?.type ?? '');
        if (field.alias === undefined) return;
        if (!needsPrefix(field.alias.value, isAnotherField(field, parent, supergraph))) return;
        return { ...field, alias: prefixed(field.alias) };
      },
      leave,
    },
    Variable(variable) {
      const { name } = variable;
      if (!needsPrefix(name.value, name.value === 'representations')) return;
      variables.add(name.value);
      return { ...variable, name: prefixed(name) };
    },
  });
  return {
    document: renamed,
    renameVariables: (values) =>
      variables.size === 0
        ? values
        : Object.fromEntries(
            Object.entries(values).map(([name, value]) => [variables.has(name) ? prefix + name : name, value]),
          ),
  };
}

function isAnotherField({ alias, name }: FieldNode, parent: string, supergraph: SupergraphMap): boolean {
  if (alias === undefined || alias.value === name.value) return false;
  return alias.value === '__typename' || supergraph.mayHaveField(parent, alias.value);
}
