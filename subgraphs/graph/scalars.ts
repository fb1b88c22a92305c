import { GraphQLScalarType, print, type ValueNode } from 'graphql';
import { CodedError } from '../../kernel/errors.js';

/** Names of the scalars in `shared.graphql`. */
const NAMES = [
  'DateTime',
  'URI',
  'SIRET',
  'SIREN',
  'RNA',
  'INSEECode',
  'PostalCode',
  'ROMECode',
  'RNCPCode',
  'CFDCode',
] as const;

type SharedScalars = Record<(typeof NAMES)[number], GraphQLScalarType>;

/**
 * Resolvers of the shared scalars: text that passes unchanged in both directions.
 *
 * Input is checked not here but in the resolver that takes it: an error thrown by a scalar fails the subgraph's whole
 * operation, without a path; one thrown by a resolver fails only its own field. So input that is not text is turned
 * into text, which the resolver then refuses.
 */
export const sharedScalars = Object.fromEntries(NAMES.map((name) => [name, textScalar(name)])) as SharedScalars;

function textScalar(name: string): GraphQLScalarType {
  return new GraphQLScalarType({ name, serialize: textSent, parseValue: textGiven, parseLiteral: textWritten });
}

function textSent(value: unknown): string {
  // Views have checked their fields, so this is an internal error, not the source's.
  if (typeof value !== 'string') throw new CodedError('INTERNAL', 'A value that should be text is not.');
  return value;
}

function textGiven(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function textWritten(node: ValueNode): string {
  return node.kind === 'StringValue' ? node.value : print(node);
}
