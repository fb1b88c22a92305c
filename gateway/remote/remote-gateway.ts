import type { GraphQLDataSource } from '@apollo/gateway';
import type { GraphQLSchema } from 'graphql';
import type { WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import { disableApolloTelemetry } from '../../runtime/process/lifecycle.js';
import { libraryLog } from '../../runtime/process/logging.js';
import { contextOf } from '../request/context.js';
import type { Source } from '../subgraphs/source.js';
import { createExecutor, type Execute } from './executor.js';
import type { MergedResponse } from './merged-response.js';
import { createPlanner } from './planner.js';
import type { PrivateNames } from './private-names.js';

/**
 * A gateway some or all of whose subgraphs run in other processes: @apollo/gateway plans an operation, fetches its
 * parts from subgraphs and merges them. This folder is what stands around the library:
 *
 *     document → prepared-operation → planner → @apollo/gateway → error-places → response
 *                 private-names                  ↕ data source: merged-response
 *                                        gateway/subgraphs (credential, deadline, recorded calls, stored responses)
 *
 * Before the library, an operation is prepared: what the planner gets wrong, it never sees. Between its fetches, the
 * data source never throws, keeps errors to itself, which the library would leak and misplace, and bounds what is
 * merged. Behind it, errors and data get the places and names of the client. Nothing is thrown, and no data are null
 * without an error.
 */
export interface RemoteGateway {
  /** As Apollo Server expects of a gateway. */
  load(): Promise<{ readonly executor: Execute }>;
  onSchemaLoadOrUpdate(listener: (loaded: LoadedSchema) => void): () => void;
  stop(): Promise<void>;
}

/** What a remote gateway is created from. */
export interface RemoteGatewayOptions {
  /** The SDL of the supergraph. */
  readonly sdl: string;
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The source of a subgraph, by its name in the supergraph. */
  sourceFor(name: string): Source;
}

interface LoadedSchema {
  readonly apiSchema: GraphQLSchema;
  readonly coreSupergraphSdl: string;
}

/**
 * What one operation may request. The library merges and shapes a response in one go, without turns of the event loop:
 * measured, 6 µs for an item of nine fields, 14 with a join, and 90 ms for the worst within these limits.
 */
export const REMOTE_LIMITS = { items: 10_000, bytes: 3 * 1024 * 1024 };

/** Creates a gateway. Loading it loads @apollo/gateway, a thousand files, which blocks the process for half a second. */
export function createRemoteGateway(options: RemoteGatewayOptions): RemoteGateway {
  const { sdl, names, log, watchCache } = options;
  const planner = createPlanner({ sdl, log, watchCache });
  const listeners = new Set<(loaded: LoadedSchema) => void>();
  const running = new WeakMap<object, MergedResponse>();
  let stop = async () => {};

  return {
    onSchemaLoadOrUpdate(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      await planner.close();
      await stop();
    },
    async load() {
      disableApolloTelemetry();
      const { ApolloGateway } = await import('@apollo/gateway');
      const gateway = new ApolloGateway({
        supergraphSdl: sdl,
        // It was validated when it was composed.
        validateSupergraph: false,
        queryPlannerConfig: { cache: planner.plans },
        // The library would show plans to anyone who sends its header; here only the trace shows them.
        __exposeQueryPlanExperimental: false,
        logger: libraryLog(log, '@apollo/gateway'),
        buildService: ({ name }) => createDataSource(name, options.sourceFor(name), running, names),
        experimental_didResolveQueryPlan: ({ queryPlan, requestContext }) =>
          contextOf(requestContext.context).recorder?.recordPlan(queryPlan.node),
      });
      gateway.onSchemaLoadOrUpdate((loaded) => {
        for (const listener of listeners) listener(loaded);
      });
      const { executor } = await gateway.load();
      stop = () => gateway.stop();
      // The library reads no other property of Apollo Server's request.
      return { executor: createExecutor(executor as unknown as Execute, { ...options, planner, running }) };
    },
  };
}

/** The data source of a subgraph. It never throws, and leaves errors to the merged response. */
function createDataSource(
  subgraph: string,
  source: Source,
  running: WeakMap<object, MergedResponse>,
  names: PrivateNames,
): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables, operationName } = options.request;
      const merged = running.get(options.incomingRequestContext);
      if (merged === undefined) throw new Error('A fetch of no request.');
      const path = (options.pathInIncomingRequest ?? []).map(String);
      const representations: unknown = variables?.['representations'];
      const fetch = { subgraph, path, representations: Array.isArray(representations) ? representations : null };
      if (!merged.admits(fetch)) return { data: null };
      const { gatewayRequest } = contextOf(options.context);
      const planNode = path.map(names.restoreName).join('.');
      const response = await source.execute({ query, variables, operationName }, gatewayRequest, planNode);
      return { data: await merged.add(fetch, response) };
    },
  };
}
