import type { Asked, Question } from '../answers/asked.js';
import { addUp } from './add-up.js';

/** Whose quota is waited for, and how long. */
export interface Waiting {
  readonly service: string;
  readonly seconds: number;
}

export interface Patience {
  readonly signal: AbortSignal;
  ask(question: Question, signal: AbortSignal): Promise<Asked>;
  /** Resolves after a time; rejects when the signal aborts. */
  wait(seconds: number, signal: AbortSignal): Promise<void>;
}

/** Times in a row that one page waits for a quota: each time it gets further, for what it got is kept upstream. */
const WAITS = 10;

/** A quota that opens later than this is not waited for. */
const LONGEST_WAIT_SECONDS = 15 * 60;

/** Asks for a page, again after each wait for a quota; the last answer when waiting is of no use. */
export async function askPatiently(
  question: Question,
  { ask, wait, signal }: Patience,
  onWait: (waiting: Waiting) => void,
): Promise<Asked> {
  let asked = await ask(question, signal);
  for (let waits = 0; waits < WAITS; waits += 1) {
    const waiting = quotaToWaitFor(asked);
    if (waiting === null) break;
    onWait(waiting);
    await wait(waiting.seconds, signal);
    asked = addUp(asked, await ask(question, signal));
  }
  return asked;
}

function quotaToWaitFor({ answer: { errors = [] } }: Asked): Waiting | null {
  const spent = errors.flatMap(({ extensions }) => (extensions?.code === 'RATE_LIMITED' ? [extensions] : []));
  const seconds = Math.max(...spent.map(({ retryAfterSeconds }) => retryAfterSeconds ?? Infinity));
  if (spent.length === 0 || seconds > LONGEST_WAIT_SECONDS) return null;
  return { service: spent[0]?.service ?? 'a source', seconds: Math.max(1, seconds) };
}
