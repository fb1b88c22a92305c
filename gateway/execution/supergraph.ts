import { readFile } from 'node:fs/promises';
import { ApolloGateway, type GraphQLDataSource } from '@apollo/gateway';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import { disableApolloTelemetry } from '../../runtime/process/apollo-telemetry.js';
import type { WatchCache } from '../../schema/caches.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import { tooLarge } from '../limits/cost-limit.js';
import { contextOf } from '../request/context.js';
import { settleInTime } from '../subgraphs/settle-in-time.js';
import type { Source } from '../subgraphs/source.js';
import type { PrivateNames } from './aliases/private-names.js';
import { createCompiledExecutor } from './compiled/compiled-executor.js';
import type { FindEarlyObjects } from './compiled/early-fetch.js';
import { placeInResponse } from './compiled/place-in-response.js';
import { guardExecutor } from './executor.js';
import { libraryLog } from './library-log.js';
import { createPlanStore } from './operation-stores.js';
import { createCallerQueue } from './planning/caller-queue.js';
import { createPlanAhead } from './planning/plan-ahead.js';
import { type PlannerThread, startPlannerThread } from './planning/planner-thread.js';

/** The SDL of a supergraph. */
export interface SupergraphFile {
  readonly sdl: string;
  /** Whether it is the file of this build: only its subgraphs are sent credentials. */
  readonly ours: boolean;
}

const OURS = new URL('../../schema/supergraph.graphql', import.meta.url);

/** Reads a supergraph file. It is `ours` when its bytes equal those of the build's. */
export async function readSupergraph(path: string | URL = OURS): Promise<SupergraphFile> {
  const [file, ours] = await Promise.all([readFile(path), readFile(OURS)]);
  return { sdl: file.toString('utf8'), ours: file.equals(ours) };
}

/** What a planner and its executor are made from. */
export interface SupergraphOptions {
  readonly file: SupergraphFile;
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  readonly introspection: boolean;
  /** Bytes of JSON that one response may have. */
  readonly maxResponseBytes: number;
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The source of a subgraph, by its name and URL in the supergraph. */
  sourceFor(name: string, url: string): Source;
  readonly findEarlyObjects: FindEarlyObjects;
}

/** A planner and executor over our own sources, in the shape that Apollo Server expects of a gateway. */
export function createSupergraph(options: SupergraphOptions) {
  const { file, map, names, introspection, log, watchCache, sourceFor, findEarlyObjects } = options;
  disableApolloTelemetry();
  const sources = new Map<string, Source>();
  const sourceOf = (subgraph: string): Source => {
    const source = sources.get(subgraph);
    if (source === undefined) throw new Error(`The plan names a subgraph "${subgraph}" that is not connected.`);
    return source;
  };
  const { matches } = map;
  const { restoreName } = names;
  const maxBytes = options.maxResponseBytes;
  const compiled = createCompiledExecutor({ sourceOf, matches, findEarlyObjects, restoreName, maxBytes });
  const plans = createPlanStore(watchCache);
  const gateway = new ApolloGateway({
    supergraphSdl: file.sdl,
    // Ours was validated when it was composed; a foreign one is checked here.
    validateSupergraph: !file.ours,
    queryPlannerConfig: { cache: plans },
    // The library would show plans to anyone who sends its header; only the trace shows them here.
    __exposeQueryPlanExperimental: false,
    logger: libraryLog(log, '@apollo/gateway'),
    buildService({ name, url }) {
      const source = sourceFor(name, url ?? '');
      sources.set(name, source);
      return asDataSource(file.ours ? bounded(source) : source, name, names);
    },
    experimental_didResolveQueryPlan: ({ queryPlan, requestContext }) => {
      const { document, request } = requestContext;
      if (compiled.planned(document, request.operationName, queryPlan)) throw PLAN_COMPILED;
      contextOf(requestContext.context).recorder?.planned(queryPlan.node);
    },
  });
  let thread: PlannerThread | null = null;
  const inTurn = createCallerQueue();
  return {
    inTurn,
    /** As the planner's thread says; null where it does not. */
    validate: async (text: string) => (await thread?.validate(text)) ?? null,
    onSchemaLoadOrUpdate: gateway.onSchemaLoadOrUpdate.bind(gateway),
    async stop() {
      await thread?.close();
      await gateway.stop();
    },
    async load(options: Parameters<typeof gateway.load>[0]) {
      const { executor } = await gateway.load(options);
      thread = startPlannerThread({ sdl: file.sdl, introspection }, log);
      const planAhead = thread === null ? null : createPlanAhead({ store: plans, thread, inTurn });
      type Request = Parameters<typeof executor>[0];
      const plan = async (request: Request): Promise<Awaited<ReturnType<typeof executor>> | null> => {
        const { caller } = contextOf(request.context);
        const span = caller.span?.child('plan');
        try {
          if (planAhead !== null) await settleInTime(planAhead(request, caller), caller);
          await ownTurn(caller);
          // What is not compiled is executed by the library, within the same span.
          const { data, ...rest } = await executor(request);
          return data ? { ...rest, data: names.restoreData(data) } : { ...rest, ...(data === null && { data }) };
        } catch (error) {
          if (error === PLAN_COMPILED) return null;
          throw error;
        } finally {
          span?.end();
        }
      };
      return { executor: guardExecutor({ compiled, plan }, map, names, log) };
    },
  };
}

/** The library plans and executes in one step. Thrown between the two, this makes it plan only. */
const PLAN_COMPILED = new Error('The plan is executed by the compiled executor.');

/**
 * Representations of one fetch by the library. Of our own graph it executes only what is mixed with introspection, but
 * makes one for each way to an object, and its response has no bound of bytes: joins there and back multiply it.
 */
const MOST_REPRESENTATIONS = 1_000;

function bounded(source: Source): Pick<Source, 'execute'> {
  return {
    async execute(request, caller, planNode) {
      const representations = request.variables?.['representations'];
      if (Array.isArray(representations) && representations.length > MOST_REPRESENTATIONS) {
        throw tooLarge('It joins too much beside __schema or __type: ask for these in an operation of their own.');
      }
      return source.execute(request, caller, planNode);
    },
  };
}

function asDataSource(source: Pick<Source, 'execute'>, name: string, names: PrivateNames): GraphQLDataSource {
  return {
    async process(options) {
      // Other kinds are introspection and the library's own health checks, which this gateway does not use.
      if (!('incomingRequestContext' in options)) return { data: {} };
      const { query = '', variables, operationName } = options.request;
      const { caller, omissions } = contextOf(options.context);
      const path = (options.pathInIncomingRequest ?? []).map(String);
      const planNode = path.map(names.restoreName).join('.');
      const response = await source.execute({ query, variables, operationName }, caller, planNode);
      omissions.include(response.omitted, placeInResponse(path, name));
      return { data: response.data ?? null, ...(response.errors !== undefined && { errors: response.errors }) };
    },
  };
}
