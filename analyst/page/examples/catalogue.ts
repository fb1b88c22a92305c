import { type Example, readExample } from '../../read-example.js';

const files = import.meta.glob<string>('../../examples/*.graphql', { query: '?raw', import: 'default', eager: true });

const FIRST = ['missions-and-their-communes', 'missions-near-a-commune', 'organizations-that-hire'];

/** All examples, the recommended ones first. */
export const EXAMPLES: readonly Example[] = Object.entries(files)
  .map(([path, text]) => readExample(/([\w-]+)\.graphql$/.exec(path)?.[1] ?? path, text))
  .sort((one, other) => rank(one) - rank(other) || one.title.en.localeCompare(other.title.en, 'en'));

function rank({ name }: Example): number {
  const place = FIRST.indexOf(name);
  return place < 0 ? FIRST.length : place;
}
