import type { SubgraphResponse } from '../../../runtime/subgraph-host/subgraph-execution.js';
import type { Data } from './merge.js';
import type { PlacePath } from './places.js';
import type { FetchNode, PlanNode } from './plan.js';

/** An entity fetch and the path of its objects. */
export interface Follower {
  readonly node: FetchNode;
  readonly path: PlacePath;
}

/** How the objects of an entity fetch follow from the value of a root field. */
export interface EarlyObjects {
  readonly follower: Follower;
  /** Response key of the root field. */
  readonly root: string;
  /** The representations that the plan would send, unless an object turns out to be unusable. */
  represent(value: unknown): Data[];
}

/**
 * Finds the entity fetches whose objects follow from root fields of the fetch before them. Leaves out those that need
 * more than the root field's value, and all of them if that fetch waits for nothing else.
 */
export type FindEarlyObjects = (first: FetchNode, followers: readonly Follower[]) => EarlyObjects[];

/** An entity fetch that was started before the fetch it follows had ended. */
export interface EarlyFetch {
  /** Its representations as text. The response is valid only for exactly these. */
  readonly representations: string;
  readonly response: Promise<SubgraphResponse>;
}

/** The entity fetches that a node of a plan begins with, for these values of `@skip` and `@include`. */
export function followersIn(node: PlanNode | undefined, flags: Data): Follower[] {
  switch (node?.kind) {
    case 'Sequence':
      return followersIn(node.nodes[0], flags);
    case 'Parallel':
      return node.nodes.flatMap((inner) => followersIn(inner, flags));
    case 'Condition':
      return followersIn(flags[node.condition] === true ? node.ifClause : node.elseClause, flags);
    case 'Flatten':
      return node.node.kind === 'Fetch' ? [{ node: node.node, path: node.path.map(String) }] : [];
    default:
      return [];
  }
}
