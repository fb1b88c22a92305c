import type { GatewayConfig } from '@apollo/gateway';

type Planned = Parameters<NonNullable<GatewayConfig['experimental_didResolveQueryPlan']>>[0];

/** The library's plan of one operation; without a node, nothing has to be fetched. */
export type QueryPlan = Planned['queryPlan'];

export type PlanNode = Exclude<NonNullable<QueryPlan['node']>, { readonly kind: 'Subscription' }>;

export type FetchNode = Extract<PlanNode, { readonly kind: 'Fetch' }>;

/** What a fetch requires of an object before it can fetch more of its fields. */
export type Requires = NonNullable<FetchNode['requires']>;

/**
 * Says whether we can run a plan ourselves. Not what our graph never causes: rewritten values, pieces that are
 * delivered later, places below places. The library runs those.
 */
export function isCompilable(plan: QueryPlan): plan is QueryPlan & { readonly node?: PlanNode } {
  return plan.node === undefined || (plan.node.kind !== 'Subscription' && understands(plan.node, false));
}

function understands(node: PlanNode, placed: boolean): boolean {
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return node.nodes.every((inner) => understands(inner, placed));
    case 'Flatten':
      return !placed && node.path.every((step) => typeof step === 'string') && understands(node.node, true);
    case 'Fetch':
      return !isRewritten(node) && placed === (node.requires !== undefined);
    case 'Condition':
      return [node.ifClause, node.elseClause].every((branch) => branch === undefined || understands(branch, placed));
    default:
      return false;
  }
}

function isRewritten({ inputRewrites, outputRewrites, contextRewrites }: FetchNode): boolean {
  return [inputRewrites, outputRewrites, contextRewrites].some((rewrites) => (rewrites?.length ?? 0) > 0);
}
