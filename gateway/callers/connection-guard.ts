import type { RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type RequestHeaders, requestIdOf } from '../../runtime/http/request-headers.js';
import { secureResponse } from '../../runtime/http/server-options.js';
import type { RefusedRequest, RequestError } from '../http/request-error.js';
import { addressOf, isProxy, type TrustedProxies } from './caller-ids.js';
import type { CallerLimits } from './caller-limits.js';

/** Runs before everything that a server reads. */
export interface ServerGuard {
  /** Turns away callers who have used up their requests, before anything they send is read. */
  before(listener: RequestListener): RequestListener;
  /** Closes connections of an address that holds too many. A trusted proxy may hold any number. */
  watch(server: Server): void;
}

/** Paths of the probes of balancers, which are answered whoever asks. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Connections that one address may hold open: an office behind one address has many people. */
const MAX_CONNECTIONS = 256;

/** What the guard needs for a refusal. */
interface Refusals {
  headersOf(request: { readonly id: string; readonly headers: RequestHeaders }): Readonly<Record<string, string>>;
  /** Counts and logs it. */
  report(refused: RefusedRequest): void;
}

/** Creates the guard; null if nothing is limited. */
export function createServerGuard(
  limits: CallerLimits,
  proxies: TrustedProxies,
  { headersOf, report }: Refusals,
): ServerGuard | null {
  if (!limits.isOn) return null;
  const open = new Map<string, number>();
  return {
    before: (listener) => (request, response) => {
      const refusal = isProbe(request.url) ? null : limits.refusedNow(request);
      if (refusal === null) return listener(request, response);
      const { headers } = request;
      const { code, status } = refusal;
      const requestId = requestIdOf(headers);
      report({ code, status, requestId, headers, ms: 0 });
      secureResponse(response);
      refuse(response, { ...headersOf({ id: requestId, headers }), ...refusal.headers }, { refusal, requestId });
    },
    watch(server) {
      server.on('connection', (socket: Socket) => {
        if (isProxy(socket.remoteAddress ?? '', proxies)) return;
        // Of IPv6, a whole network is one caller's.
        const address = addressOf({ headers: {}, socket }, proxies);
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

function isProbe(url = ''): boolean {
  return PROBES.has(url.split('?', 1)[0] ?? '');
}

function refuse(
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  { refusal, requestId }: { readonly refusal: RequestError; readonly requestId: string },
): void {
  const { status, message, code } = refusal;
  const body = JSON.stringify({ errors: [{ message, extensions: { code, requestId } }] });
  response.writeHead(status, { ...headers, 'content-type': 'application/json; charset=utf-8' }).end(body);
}
