// `npm run explain -- '{ … }'`: prints which fields of an operation may make calls, and how it is answered from memory.

import { makeExecutable } from '../../gateway/graph/executable-schema.js';
import { readApi, readGraph } from '../../gateway/graph/graph-files.js';
import { SILENT } from '../../kernel/log.js';
import { mapSupergraph } from '../../kernel/supergraph.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { openSharedParts } from '../../wiring/shared-parts.js';
import { connectAll } from '../../wiring/subgraphs.js';
import { explainOperation, mistakesIn } from './explain-operation.js';

const USAGE = "npm run explain -- '{ departements { nom } }'";

const [query = '', ...more] = process.argv.slice(2);
if (query === '--help' || query === '-h') {
  console.log(USAGE);
  process.exit();
}
if (query.trim() === '' || query.startsWith('-') || more.length > 0) refuse([USAGE]);
const api = await readApi();
const mistakes = mistakesIn(query, api);
if (mistakes.length > 0) refuse(mistakes);

// Only for their schemas: no service is called.
const connections = connectAll(readConfiguration('all'), openSharedParts(readConfiguration('all'), null, SILENT));
const subgraphs = new Map(
  Object.values(connections).flatMap((one) => (one.kind === 'in-process' ? [[one.subgraph.name, one.subgraph]] : [])),
);
const { supergraph } = await readGraph();
console.log(explainOperation(query, makeExecutable(api, { map: mapSupergraph(supergraph), subgraphs })).join('\n'));
process.exit();

function refuse(lines: readonly string[]): never {
  console.error(lines.join('\n'));
  process.exit(2);
}
