import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Agent, request } from 'undici';
import { sharedNowMs, workedBetween } from '../../test/bounds/support/thread-clock.js';

/** What the hostile caller sends: so many a second, or as many as keep so many in flight. `#` is the request's number. */
export interface Hostility {
  readonly perSecond?: number;
  readonly inFlight?: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Absent for a GET. */
  readonly query?: string;
}

/** The hostile caller. */
export interface HostileCaller {
  turn(to: 'on' | 'off'): void;
  /** Stops them; returns how many requests they sent, and how often each status came back. */
  end(): Promise<{ readonly sent: number; readonly statuses: Readonly<Record<string, number>> }>;
}

/** Starts them in a thread of their own, switched off at first. */
export function startHostileCaller(url: string, sends: Hostility): HostileCaller {
  const worker = new Worker(new URL('./paced-caller.mjs', import.meta.url), { workerData: { url, ...sends } });
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

/** The waits and wrong responses of one of the others. */
export interface Sent {
  /** Of responses from memory, on the clock that all processes share: how long a service takes is none of our work. */
  readonly waits: { readonly sentMs: number; readonly answeredMs: number }[];
  /** Responses other than 200 without errors. */
  readonly wrong: string[];
}

/** The waits and wrong responses of all the others in one slice. */
export interface Slice {
  readonly wallMs: readonly number[];
  /** How long the server worked during each wait, for any caller; this excludes other processes of the machine. */
  readonly workedMs: readonly number[];
  readonly wrong: readonly string[];
}

/** The slice in which the others sent this, from the server's notes of its work. */
export function sliceOf(sent: readonly Sent[], notes: readonly number[]): Slice {
  const waits = sent.flatMap((one) => one.waits);
  const worked = workedBetween(notes);
  return {
    wallMs: waits.map(({ sentMs, answeredMs }) => answeredMs - sentMs),
    workedMs: waits.map(({ sentMs, answeredMs }) => worked(sentMs, answeredMs)),
    wrong: sent.flatMap(({ wrong }) => wrong),
  };
}

/** One of the others: an address, and their own key if they have one. */
export interface OtherCaller {
  readonly address: string;
  readonly key: string | null;
}

/** Rate, duration, and a name that makes the first query a new one. */
export interface Pace {
  readonly perSecond: number;
  readonly ms: number;
  readonly name: string;
}

/** Sends at a steady rate as one of the others: with a key, first a new query, then cached ones. */
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
    const isNew = time === 0 && key !== null;
    const query = isNew
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
    if (!isNew) slice.waits.push({ sentMs, answeredMs: sharedNowMs() });
    if (statusCode !== 200 || text.includes('"errors"')) slice.wrong.push(`${statusCode} ${text.slice(0, 200)}`);
    await pause(Math.max(0, startedMs + ((time + 1) * 1000) / perSecond - performance.now()));
  }
  await agent.close();
  return slice;
}
