import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { sharedNowMs, workedBetween } from '../../bounds/support/thread-clock.js';

/** A caller at 50 times the rate of each other one. */
export interface HostileCaller {
  turn(to: 'on' | 'off'): void;
  /** What they sent, and how often each status came back. */
  end(): Promise<{ readonly sent: number; readonly statuses: Readonly<Record<string, number>> }>;
}

/** Starts them in a thread of their own, silent at first. */
export function startHostileCaller(url: string, perSecond: number, inventsKeys: boolean): HostileCaller {
  const worker = new Worker(new URL('./paced-caller.mjs', import.meta.url), {
    workerData: { url, perSecond, inventsKeys },
  });
  return {
    turn: (to) => worker.postMessage(to),
    async end() {
      const ended = once(worker, 'message');
      worker.postMessage('end');
      const [result] = await ended;
      return result;
    },
  };
}

/** What one of the others was answered. */
export interface Sent {
  /** On the clock that processes share. */
  readonly waits: { readonly sentMs: number; readonly answeredMs: number }[];
  /** Responses that were not 200 without errors. */
  readonly wrong: string[];
}

/** What all the others were answered in one slice. */
export interface Slice {
  readonly wallMs: readonly number[];
  /** What the server worked meanwhile, for whomever: other processes of the machine are not in it. */
  readonly workedMs: readonly number[];
  readonly wrong: readonly string[];
}

/** The slice that the others sent, while the server noted its work. */
export function sliceOf(sent: readonly Sent[], notes: readonly number[]): Slice {
  const waits = sent.flatMap((one) => one.waits);
  const worked = workedBetween(notes);
  return {
    wallMs: waits.map(({ sentMs, answeredMs }) => answeredMs - sentMs),
    workedMs: waits.map(({ sentMs, answeredMs }) => worked(sentMs, answeredMs)),
    wrong: sent.flatMap(({ wrong }) => wrong),
  };
}

/** One of the others: an address, and a key of their own where they have one. */
export interface OtherCaller {
  readonly address: string;
  readonly key: string | null;
}

/** At which rate, for how long, and a name that makes the first request one that nobody asked before. */
export interface Pace {
  readonly perSecond: number;
  readonly ms: number;
  readonly name: string;
}

/** One of the others asks at a steady rate: with a key first what nobody asked before, then what is cached. */
export async function sendSteadily(
  { url }: { readonly url: string },
  { address, key }: OtherCaller,
  { perSecond, ms, name }: Pace,
): Promise<Sent> {
  const slice: Sent = { waits: [], wrong: [] };
  const agent = new Agent();
  const times = Math.round((perSecond * ms) / 1000);
  const startedMs = performance.now();
  for (let time = 0; time < times; time += 1) {
    const query =
      time === 0 && key !== null
        ? `{ missions(first: 3, city: ["${name} of ${address}"]) { nodes { title } } }`
        : '{ departements { codeInsee nom } }';
    const sentMs = sharedNowMs();
    const { statusCode, body } = await request(`${url}/graphql`, {
      dispatcher: agent,
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-forwarded-for': address,
        ...(key !== null && { 'x-volunteering-key': key }),
      },
      body: JSON.stringify({ query }),
    });
    const text = await body.text();
    slice.waits.push({ sentMs, answeredMs: sharedNowMs() });
    if (statusCode !== 200 || text.includes('"errors"')) slice.wrong.push(`${statusCode} ${text.slice(0, 200)}`);
    await pause(Math.max(0, startedMs + ((time + 1) * 1000) / perSecond - performance.now()));
  }
  await agent.close();
  return slice;
}
