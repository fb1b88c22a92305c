import { type Example, inOrder, readExample } from '../../read-example.js';

const files = import.meta.glob<string>('../../examples/*.graphql', { query: '?raw', import: 'default', eager: true });

/** All examples, the recommended ones first. */
export const EXAMPLES: readonly Example[] = inOrder(
  Object.entries(files).map(([path, text]) => readExample(/([\w-]+)\.graphql$/.exec(path)?.[1] ?? path, text)),
);

/** The example that a query is, whatever its variables; undefined for any other. */
export function exampleOf(query: string): Example | undefined {
  return EXAMPLES.find((one) => one.query.trim() === query.trim());
}
