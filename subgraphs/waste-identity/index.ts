import type { Subgraph } from '../../schema/operation.js';
import { perRequest } from '../graph/loader.js';
import { createSubgraphSchema } from '../graph/subgraph-schema.js';
import type { UpstreamService } from '../rest/upstream.js';
import type { Context } from './context.js';
import { sourceResolvers } from './sources/resolvers.js';
import { createViewerClient } from './viewer/client.js';
import { createViewerLoaders } from './viewer/loaders.js';
import { viewerResolvers } from './viewer/resolvers.js';

export interface WasteIdentitySubgraphOptions {
  /** The platform's API host, reached with `wasteIdentityDialect`. */
  readonly upstream: UpstreamService;
}

/** The subgraph of the waste platform's users. Closing it lets go of the platform. */
export function createWasteIdentitySubgraph({ upstream }: WasteIdentitySubgraphOptions): Subgraph {
  const viewers = createViewerClient(upstream);
  const loadersOf = perRequest(() => createViewerLoaders(viewers));
  return {
    name: 'waste-identity',
    schema: createSubgraphSchema('waste-identity', [viewerResolvers, sourceResolvers]),
    contextFor: (operation): Context => ({
      operation,
      loaders: loadersOf(operation),
      status: () => upstream.status(),
    }),
    status: () => upstream.status(),
    close: () => upstream.close(),
  };
}
