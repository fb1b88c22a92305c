import { readdirSync, readFileSync } from 'node:fs';

/** A query as analysts and programs ask it, with the calls that it makes when nothing is cached. */
export interface SampleQuery {
  /** The file's name without `.graphql`. */
  readonly name: string;
  readonly calls: number;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The queries beside this file, by name. */
export function sampleQueries(): SampleQuery[] {
  const files = readdirSync(import.meta.dirname).filter((file) => file.endsWith('.graphql'));
  return files.sort().map((file) => {
    const text = readFileSync(new URL(file, import.meta.url), 'utf8');
    const [, calls = '', variables = ''] = /^# calls: (\d+)\n# variables: (.+)\n/.exec(text) ?? [];
    const query = text.replace(/^(#.*\n)+/, '');
    return { name: file.slice(0, -'.graphql'.length), calls: Number(calls), query, variables: JSON.parse(variables) };
  });
}
