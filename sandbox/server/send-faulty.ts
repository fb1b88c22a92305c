import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { wholeBody } from './faults.js';
import type { Reply } from './reply.js';
import type { SendContext } from './send.js';
import type { Fault } from './types.js';

/** Sends a reply with a transport fault; undefined if the fault is of another kind. */
export function sendFaulty(reply: Reply, fault: Fault, sending: SendContext): Promise<void> | undefined {
  switch (fault.kind) {
    case 'cut':
      return sendHalf(reply, sending, (response) => response.socket?.destroy());
    case 'reset-mid-body':
      return sendHalf(reply, sending, async ({ socket }) => {
        // If the reset arrives together with the bytes, it looks to the client like an ordinary end: let it read first.
        await sleep(20);
        socket?.resetAndDestroy();
      });
    case 'wrong-length':
      return sendWrongLength(reply, fault, sending);
    case 'slow-close':
      return sendUntilClose(reply, fault, sending);
    case 'drip':
      return sendDrip(reply, fault, sending);
    default:
      return undefined;
  }
}

/** Sends half of the body without a length, then ends the connection. */
async function sendHalf(
  reply: Reply,
  { response }: SendContext,
  end: (response: ServerResponse) => unknown,
): Promise<void> {
  const bytes = await wholeBody(reply);
  response.writeHead(reply.status, { ...reply.headers });
  await write(response, bytes.subarray(0, Math.max(1, bytes.length >> 1)));
  await end(response);
}

/** Sends the whole body with a wrong length. If too much was announced, the connection is closed. */
async function sendWrongLength(reply: Reply, { bytes: more = 10 }: Fault, { response }: SendContext): Promise<void> {
  const bytes = await wholeBody(reply);
  const announced = Math.max(0, bytes.length + more);
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(announced) });
  await write(response, bytes);
  if (more > 0) response.socket?.destroy();
  else response.end();
}

/** Sends the whole body without a length, and closes the connection after a pause. */
async function sendUntilClose(reply: Reply, { ms = 10 }: Fault, { response, signal }: SendContext): Promise<void> {
  const bytes = await wholeBody(reply);
  response.removeHeader('transfer-encoding');
  response.writeHead(reply.status, { ...reply.headers, connection: 'close' });
  await write(response, bytes);
  await sleep(ms, undefined, { signal });
  response.end();
}

async function sendDrip(reply: Reply, fault: Fault, { response, signal }: SendContext): Promise<void> {
  const bytes = await wholeBody(reply);
  const step = fault.bytes ?? 1;
  response.writeHead(reply.status, { ...reply.headers, 'content-length': String(bytes.length) });
  for (let sent = 0; sent < bytes.length; sent += step) {
    response.write(bytes.subarray(sent, sent + step));
    await sleep(fault.ms ?? 10, undefined, { signal });
  }
  response.end();
}

/** Writes the bytes and waits until they have been sent. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
