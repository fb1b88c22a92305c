/**
 * The peer of `npm run bench`: Apollo's gateway and standalone server as their documentation sets them up, over the
 * same three subgraphs as Passerelle in separate processes. Run with the addresses in `SUBGRAPH_…_URL` and the path of
 * the supergraph in `SUPERGRAPH`; prints its address.
 */
import { readFile } from 'node:fs/promises';
import { ApolloGateway, RemoteGraphQLDataSource } from '@apollo/gateway';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';

process.env['APOLLO_TELEMETRY_DISABLED'] = '1';

const { SUBGRAPH_TOKEN = '', SUPERGRAPH = '' } = process.env;
const gateway = new ApolloGateway({
  supergraphSdl: await readFile(SUPERGRAPH, 'utf8'),
  buildService: ({ name }) =>
    new RemoteGraphQLDataSource({
      url: process.env[`SUBGRAPH_${name.toUpperCase().replace('-', '_')}_URL`] ?? '',
      willSendRequest: ({ request }) => request.http?.headers.set('x-passerelle-subgraph-token', SUBGRAPH_TOKEN),
    }),
});
const { url } = await startStandaloneServer(new ApolloServer({ gateway }), { listen: { host: '127.0.0.1', port: 0 } });
console.log(`The stock gateway answers at ${url}graphql`);
