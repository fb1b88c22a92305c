import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { composeServices } from '@apollo/composition';
import { buildSchema, parse, printSchema } from 'graphql';
import { readSubgraphSdl } from '../kernel/sdl.js';
import { SERVICES, subgraphAddress } from '../kernel/services.js';
import { findFieldOwners, mapSupergraph } from '../kernel/supergraph.js';
import { printResolverTypes } from './resolver-types.js';

/**
 * Derives what follows from the SDL: the supergraph, the API schema and the types of the resolvers. `npm run compose`
 * writes them; with `--check` it only compares, and fails when a committed file differs from what the SDL yields.
 */
async function main(check: boolean): Promise<void> {
  const outputs = new Map([...composeGraph(), ...(await printResolverTypes())]);
  const stale = [...outputs].filter(([file, text]) => !existsSync(file) || readFileSync(file, 'utf8') !== text);
  if (check && stale.length > 0) {
    const names = stale.map(([file]) => relative(process.cwd(), fileURLToPath(file)));
    console.error(`Not what the SDL says: ${names.join(', ')}. Run \`npm run compose\` and commit the result.`);
    process.exitCode = 1;
    return;
  }
  for (const [file, text] of stale) writeFileSync(file, text);
  console.log(
    `${check ? 'checked' : 'composed'}: ${outputs.size} files, ${check ? 'all as the SDL says' : `${stale.length} changed`}`,
  );
}

function composeGraph(): [URL, string][] {
  const result = composeServices(
    SERVICES.map((name) => ({ name, url: subgraphAddress(name), typeDefs: parse(readSubgraphSdl(name)) })),
  );
  if (result.errors !== undefined) {
    throw new Error(`The subgraphs do not compose:\n${result.errors.map((error) => `- ${error.message}`).join('\n')}`);
  }
  // Throws where one schema in one process could not answer what query plans could.
  findFieldOwners(mapSupergraph(result.supergraphSdl));
  // Printed and built again so that the file is exactly what a client can introspect.
  const api = printSchema(buildSchema(printSchema(result.schema.toAPISchema().toGraphQLJSSchema())));
  return [
    [new URL('supergraph.graphql', import.meta.url), `${result.supergraphSdl.trimEnd()}\n`],
    [new URL('api.graphql', import.meta.url), `${api.trimEnd()}\n`],
  ];
}

process.chdir(dirname(fileURLToPath(new URL('../package.json', import.meta.url))));
const args = process.argv.slice(2);
if (args.every((arg) => arg === '--check')) await main(args.length > 0);
else {
  console.error('npm run compose [-- --check]');
  process.exitCode = 2;
}
