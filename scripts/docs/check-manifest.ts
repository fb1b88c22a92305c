// `npm run check-manifest -- FILE [GATEWAY or SCHEMA]`: whether every operation of a client's manifest runs on a graph.
import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { parseSafelist, reviewOperations } from '../../gateway/limits/safelist.js';

const USAGE = `npm run check-manifest -- MANIFEST [GATEWAY or SCHEMA]
  MANIFEST   the list of operations that is generated beside the types
  GATEWAY    the address of a gateway whose introspection is on, such as http://127.0.0.1:4000
  SCHEMA     a file with its schema; schema/api.graphql if neither is named
Prints what would be refused or is deprecated; ends with 1 if anything would be refused.`;

async function main(args: readonly string[]): Promise<number> {
  const [manifest, graph = new URL('../../schema/api.graphql', import.meta.url)] = args;
  if (args.includes('--help') || args.includes('-h')) return print(USAGE, 0);
  if (manifest === undefined || args.length > 2) return print(USAGE, 2);
  const schema = buildSchema(await readSchema(graph));
  const { errors, warnings } = reviewOperations(parseSafelist(readFileSync(manifest, 'utf8')), schema);
  const lines = [...errors.map((error) => `Error: ${error}`), ...warnings.map((warning) => `Warning: ${warning}`)];
  return print([...lines, errors.length === 0 ? 'Every operation runs.' : ''].join('\n').trim(), errors.length && 1);
}

async function readSchema(graph: string | URL): Promise<string> {
  if (graph instanceof URL || !/^https?:/.test(graph)) return readFileSync(graph, 'utf8');
  const url = new URL('/schema.graphql', graph);
  const response = await fetch(url).catch(({ cause }: Error) => {
    throw new Error(`${url} cannot be read: ${cause}`);
  });
  if (!response.ok) throw new Error(`${response.url} answers ${response.status}: is introspection off there?`);
  return response.text();
}

function print(text: string, code: number): number {
  (code === 2 ? console.error : console.log)(text);
  return code;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = print((error as Error).message, 2);
}
