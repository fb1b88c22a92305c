import { type ExecutionArgs, execute, type GraphQLSchema } from 'graphql';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import type { WatchCache } from '../../schema/caches.js';
import type { Log } from '../../schema/log.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import type { PrivateNames } from '../remote/private-names.js';
import { contextOf } from '../request/context.js';
import { settleInTime } from '../request/settle-in-time.js';
import type { Source } from '../subgraphs/source.js';
import { createCompiledExecutor } from './compiled/compiled-executor.js';
import type { FindEarlyObjects } from './compiled/early-fetch.js';
import { guardExecutor, type Result } from './executor.js';
import { type Library, type LibraryRequest, loadLibrary } from './library.js';
import { createPlanStore } from './operation-stores.js';
import { createCallerQueue } from './planning/caller-queue.js';
import { createPlanAhead, type PlanAhead } from './planning/plan-ahead.js';
import { type PlannerThread, startPlannerThread } from './planning/planner-thread.js';
import { readApi } from './supergraph-file.js';

/** What a planner and its executor are created from. */
export interface SupergraphOptions {
  readonly sdl: string;
  readonly map: SupergraphMap;
  readonly names: PrivateNames;
  readonly introspection: boolean;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  readonly log: Log;
  readonly watchCache: WatchCache;
  /** The source of a subgraph, by its name in the supergraph. */
  sourceFor(name: string): Source;
  readonly findEarlyObjects: FindEarlyObjects;
}

interface LoadedSchema {
  readonly apiSchema: GraphQLSchema;
  readonly coreSupergraphSdl: string;
}

/**
 * A planner and executor over our own sources, in the shape that Apollo Server expects of a gateway. The library itself
 * is loaded at the start only where it may be needed: without a planner thread, and with introspection on, as only the library executes a mix with other fields. Loading it later would delay every request.
 */
export function createSupergraph(options: SupergraphOptions) {
  const { sdl, map, names, introspection, log, watchCache } = options;
  const sources = new Map<string, Source>();
  const connect = (name: string): Source => {
    const source = sources.get(name) ?? options.sourceFor(name);
    sources.set(name, source);
    return source;
  };
  const { findEarlyObjects, maxResponseBytes: maxBytes } = options;
  const { restoreName } = names;
  const scope = { sourceOf: connect, matches: map.matches, findEarlyObjects, restoreName, maxBytes };
  const compiled = createCompiledExecutor(scope);
  const plans = createPlanStore(watchCache);
  const inTurn = createCallerQueue();
  const listeners = new Set<(loaded: LoadedSchema) => void>();
  let thread: PlannerThread | null = null;
  let planAhead: PlanAhead | null = null;
  let library: Promise<Library> | null = null;

  function libraryLoaded(): Promise<Library> {
    library ??= loadLibrary({ sdl, names, plans, compiled, connect, log });
    return library;
  }

  async function planOrIntrospect(request: LibraryRequest): Promise<Result | null> {
    const { gatewayRequest, recorder } = contextOf(request.context);
    const plan = planAhead === null ? null : await settleInTime(planAhead(request, gatewayRequest), gatewayRequest);
    if (plan !== null && compiled.acceptPlan(request, plan)) return null;
    await ownTurn(gatewayRequest);
    // An operation that only introspects needs no subgraph.
    if (plan !== null && plan.node === undefined) {
      recorder?.recordPlan(plan.node);
      return introspect(request);
    }
    return (await libraryLoaded()).execute(request);
  }

  async function plan(request: LibraryRequest): Promise<Result | null> {
    const span = contextOf(request.context).gatewayRequest.span?.child('plan');
    try {
      const result = await planOrIntrospect(request);
      return result?.data ? { ...result, data: names.restoreData(result.data) } : result;
    } finally {
      span?.end();
    }
  }

  return {
    inTurn,
    /** The errors that the planner thread finds; null if it does not say. */
    validate: async (text: string) => (await thread?.validate(text)) ?? null,
    onSchemaLoadOrUpdate(listener: (loaded: LoadedSchema) => void) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async stop() {
      await thread?.close();
      await library?.then((loaded) => loaded.stop());
    },
    async load() {
      // Only introspection that is mixed with other fields needs the library.
      const needed = introspection ? await libraryLoaded() : null;
      thread = startPlannerThread({ sdl, introspection }, log);
      if (thread !== null) planAhead = createPlanAhead({ store: plans, thread, inTurn });
      const loaded = thread === null ? await libraryLoaded() : needed;
      const apiSchema = loaded?.apiSchema ?? (await readApi());
      for (const listener of listeners) listener({ apiSchema, coreSupergraphSdl: sdl });
      return { executor: guardExecutor<LibraryRequest>({ compiled, plan }, map, names, log) };
    },
  };
}

async function introspect({ schema, document, request }: LibraryRequest): Promise<Result> {
  const { operationName, variables } = request;
  return execute({ schema, document, operationName, variableValues: variables } as ExecutionArgs) as Result;
}
