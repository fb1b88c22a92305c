import type { Trace } from '../../../../schema/trace.js';
import type { Answer, Asked, Question } from '../answers/asked.js';
import type { OwnKeys } from '../state/own-keys.js';

/** Sends one query; rejects when the signal aborts or no JSON comes back. */
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
    throw new Error(`The response (HTTP ${status}) is not JSON.`);
  }
}

function keyHeaders({ workStudy, volunteering }: OwnKeys): Record<string, string> {
  return {
    ...(workStudy !== '' && { 'x-work-study-key': workStudy }),
    ...(volunteering !== '' && { 'x-volunteering-key': volunteering }),
  };
}
