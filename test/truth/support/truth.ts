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

/**
 * What is wrong with a result; undefined if nothing is. The errors below a null that one of them made,
 * because its field has a type that is never null, count as one: which of them are listed is up to the implementation.
 */
export function difference(truth: Result, result: Result): string | undefined {
  const compared = { data: [result.data, truth.data], errors: [errorsByNull(result), errorsByNull(truth)] };
  const lines = Object.entries(compared).flatMap(([part, [is, not]]) =>
    String(is) === String(not) ? [] : [`  ${part} is  ${is}\n  ${part} not ${not}`],
  );
  return lines.length === 0 ? undefined : lines.join('\n');
}

/** The errors, those below a null as one of that null. */
function errorsByNull({ data, errors }: Result): readonly string[] {
  const root: unknown = data === 'none' ? null : JSON.parse(data);
  const texts = errors.map((text) => {
    const path = text.slice(text.indexOf(' at ') + ' at '.length).split('.');
    let value = root;
    const end = path.findIndex((step) => {
      value = (value as Readonly<Record<string, unknown>> | null)?.[step];
      return value === null || value === undefined;
    });
    return end === -1 || end === path.length - 1 ? text : `below the null at ${path.slice(0, end + 1).join('.')}`;
  });
  return [...new Set(texts)].sort();
}
