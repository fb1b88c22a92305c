// `npm run explain -- '{ … }'`: prints how an operation is planned, and how it is answered from the cache.

import { operationFromDocument, Supergraph } from '@apollo/federation-internals';
import { prettyFormatQueryPlan, QueryPlanner } from '@apollo/query-planner';
import { parse } from 'graphql';
import { openSharedParts } from '../../composition/shared-parts.js';
import { connectAll } from '../../composition/subgraphs.js';
import { explainDirect, mistakesIn } from '../../gateway/execution/direct/explain.js';
import { readSupergraph } from '../../gateway/execution/supergraph-file.js';
import { mapSupergraph } from '../../gateway/graph/supergraph-map.js';
import { readConfiguration } from '../../runtime/configuration/configuration.js';
import { readApi } from '../../schema/find.js';

const SILENT = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const USAGE = "npm run explain -- '{ departements { nom } }'";

const [query = '', ...more] = process.argv.slice(2);
if (query === '--help' || query === '-h') {
  console.log(USAGE);
  process.exit();
}
if (query.trim() === '' || query.startsWith('-') || more.length > 0) refuse([USAGE]);
const api = readApi();
const mistakes = mistakesIn(query, api);
if (mistakes.length > 0) refuse(mistakes);
const sdl = await readSupergraph();
const supergraph = Supergraph.build(sdl);
const plan = new QueryPlanner(supergraph).buildQueryPlan(operationFromDocument(supergraph.apiSchema(), parse(query)));
console.log(`${prettyFormatQueryPlan(plan)}\n`);

// Only for their schemas: no service is called.
const connections = connectAll(readConfiguration('all'), openSharedParts(readConfiguration('all'), null, SILENT));
const subgraphs = new Map(
  Object.values(connections).flatMap((one) => (one.kind === 'in-process' ? [[one.subgraph.name, one.subgraph]] : [])),
);
console.log(explainDirect(query, { map: mapSupergraph(sdl), subgraphs }, api).join('\n'));
process.exit();

function refuse(lines: readonly string[]): never {
  console.error(lines.join('\n'));
  process.exit(2);
}
