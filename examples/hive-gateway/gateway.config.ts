// Hive Gateway (https://the-guild.dev/graphql/hive/docs/gateway) over Passerelle's subgraphs:
//
//   npx hive-gateway supergraph --config-path examples/hive-gateway/gateway.config.ts
//
// with SUBGRAPH_TOKEN, and the subgraphs' addresses in SUBGRAPH_…_URL. What it does differently from our own gateway is
// listed in docs/scaling.md, section 5; `npm run test:engines` runs all scenarios behind this file. Its planner in Rust
// (@graphql-hive/router-runtime) merges lists wrongly on this graph: 40 of 250 random queries.
import { readFile } from 'node:fs/promises';

const { env } = process;
const SUPERGRAPH = env['SUPERGRAPH'] ?? new URL('../../schema/supergraph.graphql', import.meta.url);

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
    'x-passerelle-subgraph-token': env['SUBGRAPH_TOKEN'] ?? '',
    ...(name !== undefined && value !== null && { [name]: value }),
  };
}

/** The supergraph with the addresses that the environment gives the subgraphs. */
async function supergraph(): Promise<string> {
  const text = await readFile(SUPERGRAPH, 'utf8');
  return text.replace(/@join__graph\(name: "([\w-]+)", url: "[^"]*"\)/g, (_, name: string) => {
    const url = env[`SUBGRAPH_${name.toUpperCase().replaceAll('-', '_')}_URL`];
    return `@join__graph(name: "${name}", url: "${url}")`;
  });
}

export const gatewayConfig = {
  supergraph,
  propagateHeaders: { fromClientToSubgraphs: headersFor },
};
