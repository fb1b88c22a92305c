import type { QueryPlan } from '@apollo/query-planner';
import { type ExecutionResult, type GraphQLSchema, parse } from 'graphql';
import type { SupergraphMap } from '../../kernel/supergraph.js';
import type { PlanNode } from '../../kernel/trace.js';
import { inTurn } from '../../runtime/event-loop/turns.js';
import { disableApolloTelemetry } from '../../runtime/process/lifecycle.js';
import { libraryLog } from '../../runtime/process/logging.js';
import type { FetchRequest } from '../graph/graphql-server.js';
import { contextOf } from '../request/request.js';
import { createDataSource } from './data-source.js';
import { answerFromMerged, type Data, MergedData } from './merged-data.js';
import { PRIVATE, prepareOperation, privateVariables, restoreNames } from './planned-operation.js';
import { createPlanner, PLANS, type PlannerOptions } from './planner.js';
import type { SubgraphFetcher } from './subgraphs.js';

/*
 * A gateway some or all of whose subgraphs run in other processes: @apollo/gateway plans an operation, fetches its
 * parts from subgraphs and merges them. This folder is what stands around the library:
 *
 *     document → planned-operation → planner → @apollo/gateway → merged-data → response
 *                                                   ↕
 *                                              data-source (errors as failures, equal representations once)
 *                                                   ↕
 *                        in this process, or http-subgraph (credential, deadline, recorded calls, state)
 *
 * Before the library, an operation is planned as something that it gets right. Between its fetches, an error stands in
 * the data where its value would. Behind it, graphql-js executes the client's own operation on the merged data.
 */

/** What a remote gateway is created from. */
interface RemoteGatewayOptions extends PlannerOptions {
  readonly map: SupergraphMap;
  /** The API schema, which from then on answers from merged data. */
  readonly schema: GraphQLSchema;
  /** Limit on one response, in bytes of JSON. */
  readonly maxResponseBytes: number;
  /** The fetcher of a subgraph, by its name in the supergraph. */
  fetcherFor(name: string): SubgraphFetcher;
}

/** Creates a gateway. It loads @apollo/gateway, a thousand files, which blocks the process for half a second. */
export async function createRemoteGateway(options: RemoteGatewayOptions) {
  const { sdl, map, schema, maxResponseBytes, log, watchCache, fetcherFor } = options;
  disableApolloTelemetry();
  const { ApolloGateway } = await import('@apollo/gateway');
  const planner = createPlanner({ sdl, log, watchCache });
  if (new RegExp(`^ *${PRIVATE}`, 'm').test(sdl)) throw new Error(`No field of the graph may begin with ${PRIVATE}.`);
  const gateway = new ApolloGateway({
    supergraphSdl: sdl,
    // It was validated when it was composed.
    validateSupergraph: false,
    queryPlannerConfig: { cache: PLANS },
    // The library would show plans to anyone who sends its header; here only the trace shows them.
    __exposeQueryPlanExperimental: false,
    logger: libraryLog(log, '@apollo/gateway'),
    buildService: ({ name }) => createDataSource(fetcherFor(name), map),
  });
  const { executor } = await gateway.load();
  answerFromMerged(schema);
  // The library reads no other property of Apollo Server's request.
  const library = executor as unknown as (
    request: FetchRequest & { readonly queryHash: QueryPlan },
  ) => Promise<ExecutionResult>;

  return {
    /** Fetches what an operation selects of subgraphs. Throws for one that cannot be planned, or is too large. */
    async fetch(request: FetchRequest): Promise<Data> {
      const { gatewayRequest, traced } = contextOf(request.context);
      const { span, recorder } = gatewayRequest;
      // A large document takes milliseconds.
      const planned = await inTurn(() => prepareOperation(request));
      if (planned === null) return {};
      const planning = span?.child('plan');
      const plan = await planner.plan(planned, gatewayRequest).finally(() => planning?.end());
      if (traced) Object.assign(recorder, { plan: describePlan(plan.node)[0] ?? null, planMs: recorder.elapsedMs() });
      // The library executes the plan, and shapes an operation of nothing.
      const variables = privateVariables(request.request.variables);
      const merged = new MergedData(maxResponseBytes);
      const own = { ...request, document: NOTHING, request: { variables }, context: { ...request.context, merged } };
      const { errors } = await library({ ...own, queryHash: plan });
      if (merged.tooLarge !== null) throw merged.tooLarge;
      // Errors of subgraphs are not among these: something could not be merged, and is missing.
      for (const err of errors ?? []) log.error({ requestId: gatewayRequest.id, err }, 'merging a response failed');
      return merged.root;
    },
    async close() {
      await planner.close();
      await gateway.stop();
    },
  };
}

/** The library gets it in place of each operation. */
const NOTHING = parse('{ __typename }');

/** A node of the library's plan as a trace shows it, with the client's names; none for one that no operation has. */
function describePlan(node: QueryPlan['node']): PlanNode[] {
  switch (node?.kind) {
    case 'Sequence':
    case 'Parallel':
      return [{ kind: node.kind, children: node.nodes.flatMap(describePlan) }];
    case 'Flatten':
      return [{ kind: 'Flatten', path: restoreNames(node.path.join('.')), children: describePlan(node.node) }];
    case 'Fetch':
      return [{ kind: 'Fetch', service: node.serviceName, operation: restoreNames(node.operation) }];
    default:
      return [];
  }
}
