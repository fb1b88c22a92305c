import { startWaste, wasteClient } from '../../../sandbox/waste/index.js';
import type { World } from '../../../sandbox/world/types.js';
import { createSystemPorts } from '../../../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../../../subgraphs/rest/stages/create-upstream.js';
import { wasteIdentityDialect } from '../../../subgraphs/waste-identity/dialect.js';
import { createWasteIdentitySubgraph } from '../../../subgraphs/waste-identity/index.js';
import { executeOn, keyOf, type SendOptions } from '../../subgraph-harness.js';

interface TokenOptions extends Omit<SendOptions, 'key'> {
  /** The caller's token; null for a caller without one. */
  readonly token?: string | null;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The subgraph with the real toolkit, over HTTP to the sandbox's platform. */
export async function startHarness(world: World, { canLogIn = true } = {}) {
  const service = await startWaste({ world });
  /** Everything that the toolkit would log of calls. */
  const logged: string[] = [];
  const open = () => {
    const upstream = createUpstream(
      {
        service: 'waste-identity',
        baseUrl: service.url,
        mode: 'sandbox',
        operatorKey: keyOf(`${wasteClient.id}:${wasteClient.secret}`),
        dialect: wasteIdentityDialect,
        onCall: (row, error) => logged.push(JSON.stringify({ row, message: error?.message, cause: error?.cause })),
        onDrift: () => {},
      },
      createSystemPorts({ shared: null, perKey: null, versions: null, redis: null }),
    );
    const authorization = { authUrl: service.authUrl, clientId: wasteClient.id };
    return createWasteIdentitySubgraph({ upstream, ...(canLogIn && { authorization }) });
  };
  let subgraph = open();
  return {
    service,
    get subgraph() {
      return subgraph;
    },
    logged,
    /** Restarts the subgraph, which then knows nothing of spent quotas and failed calls. */
    async restart() {
      await subgraph.close();
      subgraph = open();
    },
    send: (source: string, { token = null, ...options }: TokenOptions = {}) =>
      executeOn(subgraph, source, { ...options, key: token === null ? null : keyOf(token) }),
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}
