import { startVolunteering, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import type { World } from '../../../sandbox/world/types.js';
import { createSystemPorts } from '../../../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../../../subgraphs/rest/stages/create-upstream.js';
import { volunteeringDialect } from '../../../subgraphs/volunteering/dialect.js';
import { createVolunteeringSubgraph } from '../../../subgraphs/volunteering/index.js';
import { executeOn, keyOf, type SendOptions } from '../../subgraph-harness.js';

/** The subgraph with the real toolkit, over HTTP to the sandbox. */
export async function startHarness(world: World) {
  const service = await startVolunteering({ world });
  const drifts: string[] = [];
  const upstream = createUpstream(
    {
      service: 'volunteering',
      baseUrl: service.url,
      mode: 'sandbox',
      operatorKey: keyOf(volunteeringKeys.operator),
      dialect: volunteeringDialect,
      onCall: () => {},
      onDrift: (_service, place) => drifts.push(place),
    },
    createSystemPorts({ shared: null, perKey: null, versions: null, redis: null }),
  );
  const subgraph = createVolunteeringSubgraph({ upstream });
  return {
    service,
    subgraph,
    drifts,
    send: (source: string, options: SendOptions = {}) => executeOn(subgraph, source, options),
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}
