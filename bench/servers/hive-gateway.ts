/**
 * Hive Gateway as our example sets it up, from the folder of peers in `PEERS`; with its Rust planner and executor if
 * `PLANNER` is rust.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { gatewayConfig } from '../../examples/hive-gateway/gateway.config.js';

const { PEERS, PLANNER } = process.env;
const load = createRequire(`${PEERS}/package.json`);
const { createGatewayRuntime } = load('@graphql-hive/gateway-runtime');

const gateway = createGatewayRuntime({
  ...gatewayConfig,
  ...(PLANNER === 'rust' && { unifiedGraphHandler: load('@graphql-hive/router-runtime').unifiedGraphHandler }),
  landingPage: false,
  graphiql: false,
  logging: 'warn',
});
const server = createServer(gateway).listen(0, '127.0.0.1');
await once(server, 'listening');
console.log(`Hive Gateway answers at http://127.0.0.1:${(server.address() as { port: number }).port}`);
