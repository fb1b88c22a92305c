import type { IncomingMessage } from 'node:http';
import { oneHeader } from './request-headers.js';

/** Its callbacks run after what Node is doing now, and cost less than a tick. */
const ARRIVED = Promise.resolve();

/** Calls `done` with the body of a request, of the length its header states; with null if its end does not arrive. */
export function receiveBody(request: IncomingMessage, done: (body: Buffer | null) => void): void {
  // Node has a short body by then, as it came with the headers: this saves the events, which cost more than the body.
  void ARRIVED.then(() => {
    const first: Buffer | null = request.read();
    if (first?.length === Number(oneHeader(request.headers, 'content-length'))) done(first);
    else receiveRest(request, first, done);
  });
}

function receiveRest(request: IncomingMessage, first: Buffer | null, done: (body: Buffer | null) => void): void {
  const chunks = first === null ? [] : [first];
  const fail = () => done(null);
  request.on('data', (chunk: Buffer) => void chunks.push(chunk));
  request.on('error', fail);
  request.on('end', () => {
    request.off('error', fail);
    done(Buffer.concat(chunks));
  });
}
