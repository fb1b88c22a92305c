import { join } from 'node:path';
import type { SubgraphConnection, SubgraphConnections } from '../gateway/subgraphs/connect-subgraphs.js';
import type { Subgraph } from '../kernel/operation.js';
import type { ServiceName } from '../kernel/services.js';
import type { Configuration } from '../runtime/configuration/configuration.js';
import { addressHash } from '../runtime/stores/text-store.js';
import { systemClock } from '../subgraphs/rest/ports/clock.js';
import { volunteeringDialect } from '../subgraphs/volunteering/dialect.js';
import { createVolunteeringSubgraph, volunteeringSchema } from '../subgraphs/volunteering/index.js';
import { wasteIdentityDialect } from '../subgraphs/waste-identity/dialect.js';
import { createWasteIdentitySubgraph, wasteIdentitySchema } from '../subgraphs/waste-identity/index.js';
import { workStudyDialect } from '../subgraphs/work-study/dialect.js';
import { createWorkStudySubgraph, workStudySchema } from '../subgraphs/work-study/index.js';
import type { SharedParts } from './shared-parts.js';
import { authorizationOf, connectUpstream, wireOf } from './upstreams.js';

/** The schemas of all subgraphs; a gateway needs them even when the subgraphs run in other processes. */
export const SUBGRAPH_SCHEMAS = new Map([
  ['work-study', workStudySchema],
  ['waste-identity', wasteIdentitySchema],
  ['volunteering', volunteeringSchema],
]);

/** How the gateway reaches each subgraph: in this process, or over HTTP where the configuration names its URL. */
export function connectAll(configuration: Configuration, parts: SharedParts): SubgraphConnections {
  const connect = (service: ServiceName): SubgraphConnection => {
    const url = configuration.subgraphUrls[service];
    return url === undefined
      ? { kind: 'in-process', subgraph: createSubgraph(service, parts) }
      : { kind: 'http', url, token: configuration.subgraphToken };
  };
  return {
    'work-study': connect('work-study'),
    'waste-identity': connect('waste-identity'),
    volunteering: connect('volunteering'),
  };
}

/** A subgraph in this process, connected to its service and reported in the metrics. The caller closes it. */
export function createSubgraph(service: ServiceName, parts: SharedParts): Subgraph {
  const subgraph = openSubgraph(service, parts);
  parts.metrics?.watchSources(() => [{ name: service, ...subgraph.status(), figures: subgraph.figures(null) }]);
  return subgraph;
}

function openSubgraph(service: ServiceName, parts: SharedParts): Subgraph {
  const { configuration, log } = parts;
  switch (service) {
    case 'work-study': {
      const wire = wireOf(service, parts);
      const namespace = `work-study-${addressHash(wire.baseUrl)}`;
      const { shared: store, inTurn } = parts.stores;
      const subgraph = createWorkStudySubgraph({
        upstream: connectUpstream(service, wire, workStudyDialect, parts),
        applyPath: configuration.upstreams.applyPath,
        cacheFolder: exportFolder(configuration.cacheDir, wire.baseUrl),
        sharedExport: { store, key: `${namespace}:export-date`, inTurn: inTurn(`${namespace}:export`) },
        clock: systemClock,
        log,
        watchCache: parts.watchCaches(service),
        // Only in production: in development and tests, people count the calls that their queries cause.
        ...(configuration.production &&
          wire.mode === 'real' && {
            warmUp: { store, key: `${namespace}:communes-used` },
          }),
      });
      parts.warmUps.push(() => subgraph.warmUp());
      return subgraph;
    }
    case 'waste-identity':
      return createWasteIdentitySubgraph({
        upstream: connectUpstream(service, wireOf(service, parts), wasteIdentityDialect, parts),
        ...authorizationOf(parts),
      });
    case 'volunteering':
      return createVolunteeringSubgraph({
        upstream: connectUpstream(service, wireOf(service, parts), volunteeringDialect, parts),
      });
  }
}

function exportFolder(cacheDir: string | null, baseUrl: string): string | null {
  return cacheDir === null ? null : join(cacheDir, `work-study-export-${addressHash(baseUrl)}`);
}
