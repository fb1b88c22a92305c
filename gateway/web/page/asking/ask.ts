import type { Trace } from '../../../../schema/trace.js';
import type { JsonObject } from '../../rows/path.js';
import type { OwnKeys } from './own-keys.js';

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

/** An answer with what the wire tells about it. */
export interface Asked {
  readonly question: Question;
  readonly answer: Answer;
  readonly trace: Trace | null;
  readonly status: number;
  /** Milliseconds until the last byte, as the browser saw them. */
  readonly ms: number;
  readonly bytes: number;
}

/** Sends one question; rejects when the signal aborts or no JSON comes back. */
export async function ask(question: Question, keys: OwnKeys, signal?: AbortSignal): Promise<Asked> {
  const began = performance.now();
  const response = await window.fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-passerelle-trace': '1', ...keyHeaders(keys) },
    body: JSON.stringify(question),
    signal: signal ?? null,
  });
  const bytes = await response.arrayBuffer();
  const { extensions, ...answer } = readAnswer(new TextDecoder().decode(bytes), response.status);
  const ms = performance.now() - began;
  const trace = extensions?.passerelle ?? null;
  return { question, answer, trace, status: response.status, ms, bytes: bytes.byteLength };
}

/** The one place where an answer becomes typed: what comes from our own origin is what `/graphql` promises. */
function readAnswer(text: string, status: number): Answer & { extensions?: { passerelle?: Trace } } {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error(`The answer (HTTP ${status}) is not JSON.`);
  }
}

function keyHeaders({ workStudy, volunteering }: OwnKeys): Record<string, string> {
  return {
    ...(workStudy !== '' && { 'x-work-study-key': workStudy }),
    ...(volunteering !== '' && { 'x-volunteering-key': volunteering }),
  };
}
