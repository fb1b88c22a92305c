import { execute, type GraphQLFieldResolver, parse } from 'graphql';
import { API_SCHEMA } from './api-schema.js';
import type { Operation } from './generated-operation.js';
import type { PlainResponse } from './plain-graph.js';

/** What matters of a response: its data as text, in its order, and its errors as texts of path and code. */
export interface Result {
  readonly data: string;
  readonly errors: readonly string[];
}

/** The right answer: the reference implementation executes the caller's own operation over plain data. */
export async function trueResult(
  { query, variables, operationName }: Operation,
  fieldResolver: GraphQLFieldResolver<unknown, unknown>,
): Promise<Result> {
  const { data, errors = [] } = await execute({
    schema: API_SCHEMA,
    document: parse(query),
    variableValues: variables,
    operationName: operationName ?? null,
    rootValue: {},
    fieldResolver,
  });
  const uncoded = errors.find(({ extensions }) => extensions['code'] === undefined);
  if (uncoded !== undefined) throw new Error(`Plain data does not answer this: ${uncoded.message}\n${query}`);
  return resultOf({ data, errors: errors as PlainResponse['errors'] & object });
}

export function resultOf({ data, errors = [] }: PlainResponse): Result {
  const texts = errors.map(({ path, extensions }) => `${extensions?.code} at ${path?.join('.') ?? 'no path'}`);
  // A field with several mistakes has an error for each, and plain data one.
  return { data: JSON.stringify(data) ?? 'none', errors: [...new Set(texts)].sort() };
}

/** What is wrong with a result; undefined if nothing is. */
export function difference(truth: Result, result: Result): string | undefined {
  const lines = (['data', 'errors'] as const).flatMap((part) => {
    const [is, not] = [String(result[part]), String(truth[part])];
    return is === not ? [] : [`  ${part} is  ${is}\n  ${part} not ${not}`];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
