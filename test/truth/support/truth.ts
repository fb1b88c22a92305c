import { type DocumentNode, execute, type GraphQLFieldResolver, Kind, parse, visit } from 'graphql';
import { API_SCHEMA } from './api-schema.js';
import type { Operation } from './generated-operation.js';
import type { PlainResponse } from './plain-graph.js';

/** What matters of a response: its data as text, in its order, and its errors as texts of path and code. */
export interface Answer {
  readonly data: string;
  readonly errors: readonly string[];
}

/** The right answer: the reference implementation executes the caller's own operation over plain data. */
export async function trueAnswer(
  { query, variables, operationName }: Operation,
  fieldResolver: GraphQLFieldResolver<unknown, unknown>,
): Promise<Answer> {
  const { data, errors = [] } = await execute({
    schema: API_SCHEMA,
    document: renamed(parse(query)),
    variableValues: Object.fromEntries(Object.entries(variables).map(([name, value]) => [newName(name), value])),
    operationName: operationName ?? null,
    rootValue: {},
    fieldResolver,
  });
  const uncoded = errors.find(({ extensions }) => extensions['code'] === undefined);
  if (uncoded !== undefined) throw new Error(`Plain data does not answer this: ${uncoded.message}\n${query}`);
  return answerOf({ data, errors: errors as PlainResponse['errors'] & object });
}

/** graphql-js keeps variables in an object whose `__proto__` is no variable: under another name it is right. */
function renamed(document: DocumentNode): DocumentNode {
  return visit(document, {
    [Kind.VARIABLE]: (node) => ({ ...node, name: { ...node.name, value: newName(node.name.value) } }),
  });
}

function newName(name: string): string {
  return name === '__proto__' ? 'renamed_proto' : name;
}

export function answerOf({ data, errors = [] }: PlainResponse): Answer {
  const texts = errors.map(({ path, extensions }) => `${extensions?.code} at ${path?.join('.') ?? 'no path'}`);
  return { data: JSON.stringify(data) ?? 'none', errors: texts.sort() };
}

/** What is wrong with an answer; undefined if nothing is. */
export function difference(truth: Answer, answer: Answer): string | undefined {
  const lines = (['data', 'errors'] as const).flatMap((part) => {
    const [is, not] = [String(answer[part]), String(truth[part])];
    return is === not ? [] : [`  ${part} is  ${is}\n  ${part} not ${not}`];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
