import type { QueryPlan } from '@apollo/query-planner';

/** What a planning thread is started with: the SDL of a valid supergraph. */
export interface PlanThreadData {
  readonly sdl: string;
}

/** An operation to plan. */
export interface PlanRequest {
  readonly id: number;
  readonly text: string;
  readonly operationName: string | undefined;
}

/** Its plan; null where the planner fails. */
export interface PlanReply {
  readonly id: number;
  readonly plan: QueryPlan | null;
}
