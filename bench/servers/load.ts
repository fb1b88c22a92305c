/**
 * The load of the bench, in a process of its own: sends requests over persistent connections, one at a time on each.
 * Requests are prepared in advance and responses parsed only for their length, so that the servers are what is
 * measured.
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { responseIn } from './response-in.js';

/** Requests to send in rotation until the time is over, or this many have been sent. */
export interface LoadJob {
  readonly port: number;
  readonly requests: readonly LoadRequest[];
  readonly connections: number;
  readonly seconds?: number;
  readonly count?: number;
}

export interface LoadRequest {
  readonly path: string;
  /** Body of a POST; without one, a GET is sent. `000000000` in it becomes a different number in each request. */
  readonly body?: string;
  /** For `accept-encoding`. */
  readonly encoding: string;
}

export interface LoadResult {
  readonly answered: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Milliseconds of CPU of this process. */
  readonly cpuMs: number;
  /** The first response that was not a 200 of the same length as earlier ones to the same request; null if none. */
  readonly bad: string | null;
}

const PLACEHOLDER = '000000000';
/** Larger than most responses. */
const READ_BYTES = 64 * 1024;
let numbered = 0;

process.on('message', (job: LoadJob) => {
  run(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit());

async function run(job: LoadJob): Promise<LoadResult> {
  const { seconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } = job;
  const turns: Turns = {
    writers: job.requests.map((request) => writerOf(request, job.port)),
    bytes: [],
    waits: [],
    started: 0,
    bad: null,
    goOn: () => turns.started < count && performance.now() < untilMs && turns.bad === null,
  };
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const untilMs = startedMs + seconds * 1000;
  await Promise.all(Array.from({ length: job.connections }, () => converse(job.port, turns)));
  const tookMs = performance.now() - startedMs;
  const { user, system } = process.cpuUsage(before);
  const waits = turns.waits.sort((one, other) => one - other);
  return {
    answered: waits.length,
    seconds: tookMs / 1000,
    p50Ms: waits[Math.floor(waits.length * 0.5)] ?? 0,
    p99Ms: waits[Math.floor(waits.length * 0.99)] ?? 0,
    cpuMs: (user + system) / 1000,
    bad: turns.bad,
  };
}

/** State that the connections of a job share. */
interface Turns {
  readonly writers: readonly (() => string | Buffer)[];
  /** Length of the body of the response to each request. */
  readonly bytes: (number | undefined)[];
  readonly waits: number[];
  started: number;
  bad: string | null;
  goOn(): boolean;
}

/** One connection: sends a request, reads the response, and repeats. */
async function converse(port: number, turns: Turns): Promise<void> {
  // One buffer for all that arrives: collecting a new one for each response would stop the load for milliseconds.
  const onread = { buffer: Buffer.alloc(READ_BYTES), callback: (bytes: number) => arrived(bytes) };
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread });
  await once(socket, 'connect');
  let turn = 0;
  let sentMs = 0;
  let received: Buffer | null = null;
  const sendNext = () => {
    if (!turns.goOn()) return socket.destroy();
    turn = turns.started++ % turns.writers.length;
    sentMs = performance.now();
    return socket.write(turns.writers[turn]?.() ?? '');
  };
  const arrived = (bytes: number) => {
    const chunk = onread.buffer.subarray(0, bytes);
    const all = received === null ? chunk : Buffer.concat([received, chunk]);
    const response = responseIn(all);
    if (response === null) {
      // The next chunk is written over this one.
      received = received === null ? Buffer.from(chunk) : all;
      return true;
    }
    turns.waits.push(performance.now() - sentMs);
    turns.bytes[turn] ??= response.bodyBytes;
    if (response.status !== 200 || turns.bytes[turn] !== response.bodyBytes) turns.bad ??= all.toString();
    received = null;
    sendNext();
    return true;
  };
  sendNext();
  await once(socket, 'close');
}

/** Returns a function that returns the bytes of a request for each time that it is sent. */
function writerOf({ path, body, encoding }: LoadRequest, port: number): () => string | Buffer {
  const accepts = encoding === '' ? '' : `accept-encoding: ${encoding}\r\n`;
  const host = `host: 127.0.0.1:${port}\r\n${accepts}`;
  if (body === undefined) {
    const bytes = Buffer.from(`GET ${path} HTTP/1.1\r\n${host}\r\n`);
    return () => bytes;
  }
  const type = `content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n`;
  const text = `POST ${path} HTTP/1.1\r\n${host}${type}\r\n${body}`;
  if (text.includes(PLACEHOLDER)) return () => text.replace(PLACEHOLDER, String(++numbered).padStart(9, '0'));
  const bytes = Buffer.from(text);
  return () => bytes;
}
