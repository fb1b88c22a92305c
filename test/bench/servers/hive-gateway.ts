/**
 * Hive Gateway over the same subgraphs, from the folder of peers in `PEERS`; with its Rust planner and executor if
 * `PLANNER` is rust. The addresses are in `SUBGRAPH_…_URL`, the path of the supergraph in `SUPERGRAPH`.
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';

const { PEERS, PLANNER, SUBGRAPH_TOKEN = '', SUPERGRAPH = '' } = process.env;
const load = createRequire(`${PEERS}/package.json`);
const { createGatewayRuntime } = load('@graphql-hive/gateway-runtime');

const supergraph = (await readFile(SUPERGRAPH, 'utf8')).replace(
  /@join__graph\(name: "([\w-]+)", url: "[^"]*"\)/g,
  (_, name: string) => {
    const url = process.env[`SUBGRAPH_${name.toUpperCase().replaceAll('-', '_')}_URL`];
    return `@join__graph(name: "${name}", url: "${url}")`;
  },
);
/** A caller's credential is sent only to its own service, as by our own gateway. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  'work-study': 'x-work-study-key',
  'waste-identity': 'authorization',
  volunteering: 'x-volunteering-key',
};

interface Outgoing {
  readonly request: { readonly headers: Headers };
  readonly subgraphName: string;
}

function headersFor({ request, subgraphName }: Outgoing): Record<string, string> {
  const name = CREDENTIALS[subgraphName];
  const value = name === undefined ? null : request.headers.get(name);
  return {
    'x-passerelle-subgraph-token': SUBGRAPH_TOKEN,
    ...(name !== undefined && value !== null && { [name]: value }),
  };
}

const gateway = createGatewayRuntime({
  supergraph: () => supergraph,
  ...(PLANNER === 'rust' && { unifiedGraphHandler: load('@graphql-hive/router-runtime').unifiedGraphHandler }),
  propagateHeaders: { fromClientToSubgraphs: headersFor },
  landingPage: false,
  graphiql: false,
  logging: 'warn',
});
const server = createServer(gateway).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`Hive Gateway answers at http://127.0.0.1:${(server.address() as { port: number }).port}`);
