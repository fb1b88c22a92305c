import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { sharedNowMs } from './thread-clock.js';

/** A small query and its only correct response, as JSON. */
export interface SmallOperation {
  readonly body: string;
  readonly response: string;
}

/** The responses that a neighbour received. */
export interface Neighbourhood {
  readonly requests: number;
  /** The first incorrect responses. */
  readonly wrong: readonly string[];
  /** When each request was sent and answered. */
  readonly waits: readonly Wait[];
}

/** Milliseconds on the shared clock. */
export interface Wait {
  readonly sentMs: number;
  readonly answeredMs: number;
}

const MAX_WRONG = 3;

/**
 * Learns the response to a small query, which must have no errors; later responses must be the same. On a busy machine,
 * a sandbox that creates its world at the first calls may be late: the query is repeated until it is ready.
 */
export async function learnResponse(url: string, body: string): Promise<SmallOperation> {
  let response = await send(url, body, new Agent());
  while (response.includes('"DEADLINE_EXCEEDED"')) response = await send(url, body, new Agent());
  if (!response.startsWith('200 {"data":')) throw new Error(`The neighbour cannot be answered: ${response}`);
  return { body, response };
}

/** Sends small queries in rotation, with a pause of milliseconds between them, until stopped, and each at least once. */
export function startNeighbour(
  url: string,
  operations: readonly SmallOperation[],
  pauseMs: number,
): () => Promise<Neighbourhood> {
  const wrong: string[] = [];
  const waits: Wait[] = [];
  const agent = new Agent();
  let stopped = false;
  const loop = (async () => {
    for (let index = 0; !stopped || index < operations.length; index += 1) {
      const operation = operations[index % operations.length]!;
      const sentMs = sharedNowMs();
      const response = await send(url, operation.body, agent).catch(String);
      waits.push({ sentMs, answeredMs: sharedNowMs() });
      if (response !== operation.response && wrong.length < MAX_WRONG) wrong.push(response);
      if (pauseMs > 0 && !stopped) await pause(pauseMs);
    }
    await agent.close();
  })();
  return async () => {
    stopped = true;
    await loop;
    return { requests: waits.length, wrong, waits };
  };
}

async function send(url: string, body: string, dispatcher: Agent): Promise<string> {
  const { statusCode, body: response } = await request(`${url}/graphql`, {
    dispatcher,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  return `${statusCode} ${await response.text()}`;
}
