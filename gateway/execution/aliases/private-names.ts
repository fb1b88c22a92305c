import { type DocumentNode, type FieldNode, type NameNode, visit } from 'graphql';
import type { SupergraphMap } from '../../graph/supergraph-map.js';

/**
 * A client may name a field as another field of the same type: `{ city: title }`. The planner then takes the alias for
 * the field that a join requires, silently (architecture 5, federation#3036). So such an alias gets a private name
 * before planning: its own behind a prefix. A name that begins with the prefix already gets it once more, so that
 * taking one prefix away always gives the client's own name back. The variable `$representations` is the plan's own; a
 * client's is treated in the same way.
 */
export interface PrivateNames {
  /** The document as the planner may see it. */
  hide(document: DocumentNode): HiddenDocument;
  /** The client's name behind a name of the answer. */
  restoreName(name: string): string;
  /** The client's names in a message that may mention private ones. */
  restoreText(text: string): string;
  /** A copy of the answer's data with the client's names. */
  restoreData(data: Record<string, unknown>): Record<string, unknown>;
}

export interface HiddenDocument {
  readonly document: DocumentNode;
  /** The values of the client's variables under the names that the document now gives them. */
  hideVariables(variables: Record<string, unknown>): Record<string, unknown>;
}

/** Private names for one supergraph; the prefix is one with which no field of it begins. */
export function createPrivateNames(supergraph: SupergraphMap): PrivateNames {
  const prefix = choosePrefix(supergraph);
  const restoreName = (name: string) => (name.startsWith(prefix) ? name.slice(prefix.length) : name);
  const restore = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map(restore);
    const restored: Record<string, unknown> = Object.create(null);
    for (const [key, below] of Object.entries(value)) restored[restoreName(key)] = restore(below);
    return restored;
  };
  return {
    hide: (document) => hide(document, prefix, supergraph),
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

function hide(document: DocumentNode, prefix: string, supergraph: SupergraphMap): HiddenDocument {
  const needsPrefix = (name: string, taken: boolean) => taken || name.startsWith(prefix);
  const prefixed = (name: NameNode): NameNode => ({ ...name, value: prefix + name.value });
  const variables = new Set<string>();
  const types: string[] = [];
  const leave = () => {
    types.pop();
  };
  const hidden = visit(document, {
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
    document: hidden,
    hideVariables: (values) =>
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
