import type { GatewayConfig } from '@apollo/gateway';

type Planned = Parameters<NonNullable<GatewayConfig['experimental_didResolveQueryPlan']>>[0];

/** The library's query plan of one operation; without a node, there is nothing to fetch. */
export type QueryPlan = Planned['queryPlan'];

/** Any node of a query plan. */
export type PlanNode = Exclude<NonNullable<QueryPlan['node']>, { readonly kind: 'Subscription' }>;

/** A node that queries one subgraph. */
export type FetchNode = Extract<PlanNode, { readonly kind: 'Fetch' }>;

/** The fields of an object that an entity fetch requires. */
export type Requires = NonNullable<FetchNode['requires']>;

/**
 * Whether the compiled executor supports a plan. It does not support rewrites, deferred parts and nested flattening,
 * which our own graph never needs; the library executes those.
 */
export function isCompilable(plan: QueryPlan): plan is QueryPlan & { readonly node?: PlanNode } {
  return plan.node === undefined || (plan.node.kind !== 'Subscription' && isSupported(plan.node, false));
}

function isSupported(node: PlanNode, flattened: boolean): boolean {
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return node.nodes.every((inner) => isSupported(inner, flattened));
    case 'Flatten':
      return !flattened && node.path.every((step) => typeof step === 'string') && isSupported(node.node, true);
    case 'Fetch':
      return !isRewritten(node) && flattened === (node.requires !== undefined);
    case 'Condition':
      return [node.ifClause, node.elseClause].every((branch) => branch === undefined || isSupported(branch, flattened));
    default:
      return false;
  }
}

function isRewritten({ inputRewrites, outputRewrites, contextRewrites }: FetchNode): boolean {
  return [inputRewrites, outputRewrites, contextRewrites].some((rewrites) => (rewrites?.length ?? 0) > 0);
}
