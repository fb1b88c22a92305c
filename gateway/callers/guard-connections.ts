import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Addresses } from './addresses.js';
import type { CallerLimits } from './caller-limits.js';

/** Stands before everything that a server reads. */
export interface ServerGuard {
  /** Turns away callers who have spent their requests, before anything of theirs is read. */
  before(listener: RequestListener): RequestListener;
  /** Closes connections of an address that holds too many. A trusted proxy may hold any number. */
  watch(server: Server): void;
}

/** Connections that one address may hold open: an office behind one address has many people. */
const MAX_CONNECTIONS = 256;

/** Creates the guard; null where nothing is limited. */
export function createServerGuard(
  limits: CallerLimits,
  addresses: Addresses,
  headersOf: (request: IncomingMessage) => Readonly<Record<string, string>>,
): ServerGuard | null {
  if (!limits.isOn) return null;
  const open = new Map<string, number>();
  return {
    before: (listener) => (request, response) => {
      const refusal = request.url?.startsWith('/graphql') === true ? limits.refusedNow(request) : null;
      if (refusal === null) listener(request, response);
      else refuse(response, { ...headersOf(request), ...refusal.headers }, refusal);
    },
    watch(server) {
      server.on('connection', (socket: Socket) => {
        const address = socket.remoteAddress ?? '';
        if (addresses.isProxy(address)) return;
        const count = (open.get(address) ?? 0) + 1;
        if (count > MAX_CONNECTIONS) {
          socket.destroy();
          return;
        }
        open.set(address, count);
        socket.once('close', () => {
          const left = (open.get(address) ?? 1) - 1;
          if (left === 0) open.delete(address);
          else open.set(address, left);
        });
      });
    },
  };
}

function refuse(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { status, message, code }: { readonly status: number; readonly message: string; readonly code: string },
): void {
  const body = JSON.stringify({ errors: [{ message, extensions: { code } }] });
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }).end(body);
}
