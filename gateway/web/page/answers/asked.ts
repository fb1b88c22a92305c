import type { Trace } from '../../../../schema/trace.js';
import type { JsonObject } from '../../rows/path.js';

export interface Question {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  readonly operationName?: string | null | undefined;
}

/** An error of an answer, as far as the page reads it. */
export interface AnswerError {
  readonly message: string;
  readonly path?: readonly (string | number)[];
  readonly extensions?: { readonly code?: string; readonly service?: string; readonly retryAfterSeconds?: number };
}

/** A GraphQL answer, the trace taken out. */
export interface Answer {
  readonly data?: JsonObject | null;
  readonly errors?: readonly AnswerError[];
}

/** How the following of a list's pages ended. */
export interface FollowedPages {
  readonly end: 'all' | 'cap' | 'cancelled' | 'failed';
  readonly rows: number;
  readonly message: string | null;
}

/** An answer with what the wire tells about it. */
export interface Asked {
  readonly question: Question;
  readonly answer: Answer;
  readonly trace: Trace | null;
  readonly status: number;
  /** Milliseconds until the last byte, as the browser saw them. */
  readonly ms: number;
  readonly bytes: number;
  /** Present when its list has the rows of further pages. */
  readonly pages?: FollowedPages;
}
