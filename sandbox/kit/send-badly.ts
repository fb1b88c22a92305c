import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './answer.js';
import { wholeBody } from './faults.js';
import type { Sending } from './send.js';
import type { Fault } from './types.js';

/** Spoils an answer on its way; undefined when the fault is none of the way. */
export function sendBadly(answer: Answer, fault: Fault, sending: Sending): Promise<void> | undefined {
  switch (fault.kind) {
    case 'cut':
      return sendHalf(answer, sending, (response) => response.socket?.destroy());
    case 'reset-mid-body':
      return sendHalf(answer, sending, async ({ socket }) => {
        // A reset that arrives together with the bytes looks like an ordinary end to the client: let it read them first.
        await sleep(20);
        socket?.resetAndDestroy();
      });
    case 'wrong-length':
      return sendWrongLength(answer, fault, sending);
    case 'slow-close':
      return sendUntilClose(answer, fault, sending);
    case 'drip':
      return sendDrip(answer, fault, sending);
    default:
      return undefined;
  }
}

/** Half of the body, without a length, then the end of the connection as given. */
async function sendHalf(
  answer: Answer,
  { response }: Sending,
  end: (response: ServerResponse) => unknown,
): Promise<void> {
  const bytes = await wholeBody(answer);
  response.writeHead(answer.status, { ...answer.headers });
  await write(response, bytes.subarray(0, Math.max(1, bytes.length >> 1)));
  await end(response);
}

/** The whole body under a length that is not its own. What was announced and does not come ends with the connection. */
async function sendWrongLength(answer: Answer, { bytes: more = 10 }: Fault, { response }: Sending): Promise<void> {
  const bytes = await wholeBody(answer);
  const announced = Math.max(0, bytes.length + more);
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(announced) });
  await write(response, bytes);
  if (more > 0) response.socket?.destroy();
  else response.end();
}

/** The whole body without a length: only the end of the connection, after a pause, says that it was all. */
async function sendUntilClose(answer: Answer, { ms = 10 }: Fault, { response, signal }: Sending): Promise<void> {
  const bytes = await wholeBody(answer);
  response.removeHeader('transfer-encoding');
  response.writeHead(answer.status, { ...answer.headers, connection: 'close' });
  await write(response, bytes);
  await sleep(ms, undefined, { signal });
  response.end();
}

async function sendDrip(answer: Answer, fault: Fault, { response, signal }: Sending): Promise<void> {
  const bytes = await wholeBody(answer);
  const step = fault.bytes ?? 1;
  response.writeHead(answer.status, { ...answer.headers, 'content-length': String(bytes.length) });
  for (let sent = 0; sent < bytes.length; sent += step) {
    response.write(bytes.subarray(sent, sent + step));
    await sleep(fault.ms ?? 10, undefined, { signal });
  }
  response.end();
}

/** Writes and waits until the bytes have left. */
function write(response: ServerResponse, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    response.write(bytes, () => resolve());
  });
}
