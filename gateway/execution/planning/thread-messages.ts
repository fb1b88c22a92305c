import type { QueryPlan } from '@apollo/query-planner';
import type { GraphQLFormattedError } from 'graphql';

/** What a planner thread is started with. */
export interface ThreadData {
  /** The SDL of a valid supergraph. */
  readonly sdl: string;
  readonly introspection: boolean;
}

/** What the thread does with a document. */
export type ThreadTask =
  | { readonly kind: 'validate'; readonly text: string }
  | { readonly kind: 'plan'; readonly text: string; readonly operationName: string | undefined };

/** The results: the errors of the document, none for a valid one; the plan. */
export interface ThreadResults {
  readonly validate: readonly GraphQLFormattedError[];
  readonly plan: QueryPlan;
}

/** A task with its number. */
export interface ThreadRequest {
  readonly id: number;
  readonly task: ThreadTask;
}

/** The result of a task; null if it failed. */
export interface ThreadReply {
  readonly id: number;
  readonly result: ThreadResults[ThreadTask['kind']] | null;
}
