import fc, { type GeneratorValue } from 'fast-check';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isObjectType,
} from 'graphql';

/** A root field that a generated query may have, with arguments that find something. */
export interface Root {
  readonly name: string;
  readonly arguments: string;
}

/** Fields whose responses are never cached, or are true for this moment only. */
const SKIPPED = new Set(['sources', 'viewer']);
const DEEPEST = 5;

/** A valid query over the graph, with random fields, aliases, fragments, conditions and arguments. */
export function generatedQuery(schema: GraphQLSchema, roots: readonly Root[], random: GeneratorValue): string {
  const nat = (max: number) => random(fc.nat, { max });
  const oneOf = <T>(items: readonly T[]): T => items[nat(items.length - 1)] as T;

  function selection(type: GraphQLObjectType, depth: number): string {
    const all = Object.values(type.getFields()).filter((field) => isSelected(field, depth));
    if (all.length === 0) return '{ __typename }';
    const taken = new Set<string>();
    const parts: string[] = [];
    for (let index = nat(4) + 1; index > 0; index -= 1) {
      const field = oneOf(all);
      const alias = nat(3) === 0 ? oneOf(all).name : field.name;
      if (taken.has(alias)) continue;
      taken.add(alias);
      parts.push(decorated(`${alias === field.name ? '' : `${alias}: `}${field.name}${below(field, depth)}`, type));
    }
    if (nat(2) === 0 && !taken.has('__typename')) parts.push('__typename');
    return `{ ${parts.join(' ')} }`;
  }

  function decorated(field: string, type: GraphQLObjectType): string {
    const kind = nat(9);
    if (kind === 0) return `... on ${type.name} { ${field} }`;
    if (kind === 1) return `... @include(if: $yes) { ${field} }`;
    if (kind === 2) return `... @skip(if: $yes) { ${field} } __typename`;
    return field;
  }

  function below(field: GraphQLField<unknown, unknown>, depth: number): string {
    const size = field.args.some(({ name }) => name === 'first') ? `(first: ${nat(3)})` : '';
    const type = getNamedType(field.type);
    return isObjectType(type) ? `${size} ${selection(type, depth + 1)}` : size;
  }

  const fields = schema.getQueryType()?.getFields() ?? {};
  const parts = Array.from({ length: nat(1) + 1 }, (_, index) => {
    const root = oneOf(roots);
    const type = getNamedType(fields[root.name]?.type);
    return `r${index}: ${root.name}${root.arguments} ${isObjectType(type) ? selection(type, 1) : ''}`;
  });
  return `query Generated($yes: Boolean! = true) { __typename @include(if: $yes) ${parts.join(' ')} }`;
}

function isSelected(field: GraphQLField<unknown, unknown>, depth: number): boolean {
  const type = getNamedType(field.type);
  if (SKIPPED.has(field.name) || isAbstractType(type)) return false;
  if (field.args.some(({ type: of, defaultValue }) => String(of).endsWith('!') && defaultValue === undefined))
    return false;
  return depth < DEEPEST || !isObjectType(type);
}
