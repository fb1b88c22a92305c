import type { GraphQLDataSource } from '@apollo/gateway';
import type { QueryPlan } from '@apollo/query-planner';
import type { GraphQLSchema } from 'graphql';
import { disableApolloTelemetry } from '../../runtime/process/apollo-telemetry.js';
import { libraryLog } from '../../runtime/process/library-log.js';
import type { Log } from '../../schema/log.js';
import { responseTooLarge } from '../limits/response-too-large.js';
import type { PrivateNames } from '../remote/private-names.js';
import { contextOf } from '../request/context.js';
import type { Source } from '../subgraphs/source.js';
import type { CompiledExecutor } from './compiled/compiled-executor.js';
import { placeInResponse } from './compiled/place-in-response.js';
import type { ExecutableRequest, Result } from './executor.js';
import type { OperationStore } from './operation-stores.js';

/** A request as the library receives it from Apollo Server, as far as it is read here. */
export interface LibraryRequest extends ExecutableRequest {
  /** Hash of the client's text. */
  readonly queryHash: string;
}

/** @apollo/gateway over a supergraph. */
export interface Library {
  /** What clients may select. */
  readonly apiSchema: GraphQLSchema;
  /** Plans an operation: returns its result if only the library can execute it, null once it is compiled. */
  execute(request: LibraryRequest): Promise<Result | null>;
  stop(): Promise<void>;
}

/** What the library is loaded with. */
export interface LibraryOptions {
  readonly sdl: string;
  readonly names: PrivateNames;
  readonly plans: OperationStore<QueryPlan>;
  readonly compiled: Pick<CompiledExecutor, 'acceptPlan'>;
  /** The source of a subgraph, by its name in the supergraph. */
  connect(name: string): Source;
  readonly log: Log;
}

/** Loads @apollo/gateway, a thousand files, and its planner: this blocks the process for half a second. */
export async function loadLibrary({ sdl, names, plans, compiled, connect, log }: LibraryOptions): Promise<Library> {
  disableApolloTelemetry();
  const { ApolloGateway } = await import('@apollo/gateway');
  let apiSchema: GraphQLSchema | null = null;
  const gateway = new ApolloGateway({
    supergraphSdl: sdl,
    // It was validated when it was composed.
    validateSupergraph: false,
    queryPlannerConfig: { cache: plans },
    // The library would show plans to anyone who sends its header; here only the trace shows them.
    __exposeQueryPlanExperimental: false,
    logger: libraryLog(log, '@apollo/gateway'),
    buildService: ({ name }) => asDataSource(boundJoins(connect(name)), name, names),
    experimental_didResolveQueryPlan: ({ queryPlan, requestContext }) => {
      if (compiled.acceptPlan(requestContext, queryPlan)) throw PLAN_COMPILED;
      contextOf(requestContext.context).recorder?.recordPlan(queryPlan.node);
    },
  });
  gateway.onSchemaLoadOrUpdate((loaded) => {
    apiSchema = loaded.apiSchema;
  });
  const { executor } = await gateway.load();
  if (apiSchema === null) throw new Error('The library has loaded no schema.');
  return {
    apiSchema,
    async execute(request) {
      try {
        // The library reads no other property of Apollo Server's request.
        return await executor(request as Parameters<typeof executor>[0]);
      } catch (error) {
        if (error === PLAN_COMPILED) return null;
        throw error;
      }
    },
    stop: () => gateway.stop(),
  };
}

/** The library plans and executes in one step. Thrown in between, this makes it only plan. */
const PLAN_COMPILED = new Error('The plan is executed by the compiled executor.');

/**
 * Limit on the representations of one fetch by the library. It executes only what is mixed with
 * introspection, but it represents an object once per path to it and limits no bytes: joins there and back multiply.
 */
const MAX_REPRESENTATIONS = 1_000;

function boundJoins(source: Source): Pick<Source, 'execute'> {
  return {
    async execute(request, gatewayRequest, planNode) {
      const representations = request.variables?.['representations'];
      if (Array.isArray(representations) && representations.length > MAX_REPRESENTATIONS) {
        throw responseTooLarge(
          'The operation joins too much beside __schema or __type: select these in a separate operation.',
        );
      }
      return source.execute(request, gatewayRequest, planNode);
    },
  };
}

function asDataSource(source: Pick<Source, 'execute'>, name: string, names: PrivateNames): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables, operationName } = options.request;
      const { gatewayRequest, omissions } = contextOf(options.context);
      const path = (options.pathInIncomingRequest ?? []).map(String);
      const planNode = path.map(names.restoreName).join('.');
      const response = await source.execute({ query, variables, operationName }, gatewayRequest, planNode);
      omissions.include(response.omitted, placeInResponse(path, name));
      return { data: response.data ?? null, ...(response.errors !== undefined && { errors: response.errors }) };
    },
  };
}
