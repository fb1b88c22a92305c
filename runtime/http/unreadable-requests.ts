import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Log } from '../../schema/log.js';
import { HEADER_BYTES } from './arrival.js';
import { SECURITY_HEADERS } from './security-headers.js';

/** Status and message of the response for what Node refuses before there is a request. */
const REFUSALS: Readonly<Record<string, readonly [status: number, message: string]>> = {
  HPE_HEADER_OVERFLOW: [431, `The headers are larger than ${HEADER_BYTES / 1024} kB.`],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: [413, 'The chunk extensions are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

const UNREADABLE = [400, 'The request cannot be read.'] as const;

/** Responds to bytes that are not a complete request with a coded error, and closes the connection. */
export function refuseUnreadable(log: Log): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return;
    const [status, message] = REFUSALS[error.code ?? ''] ?? UNREADABLE;
    log.info({ status, codes: ['BAD_REQUEST'] }, 'request refused');
    if (socket.writable) socket.write(rawResponse(status, message));
    socket.destroy(error);
  };
}

function rawResponse(status: number, message: string): string {
  const body = JSON.stringify({ errors: [{ message, extensions: { code: 'BAD_REQUEST' } }] });
  const headers = {
    ...SECURITY_HEADERS,
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'cache-control': 'no-store',
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`;
}
