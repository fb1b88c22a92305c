import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { excessHeaders, type RequestHeaders, requestIdOf } from '../../runtime/http/request-headers.js';
import { secureResponse } from '../../runtime/http/server-options.js';
import type { Phase } from '../../runtime/process/lifecycle.js';
import { type RefusedRequest, RequestError } from '../http/request-error.js';
import { addressOf, isProxy, type TrustedProxies } from './caller-ids.js';
import type { CallerLimits } from './caller-limits.js';
import type { KnownHosts } from './known-hosts.js';

/** Runs before everything that a server reads. */
export interface ServerGuard {
  /**
   * Turns requests away before anything of them is read: those with too many headers, those to a name that is not ours,
   * and those of callers who have used up their requests.
   */
  before(listener: RequestListener): RequestListener;
  /** Closes connections of an address that holds too many. A trusted proxy may hold any number. */
  watch(server: Server): void;
}

/** Paths of the probes of balancers, which are answered whoever asks, and how often. */
export const PROBES: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Connections that one address may hold open: an office behind one address has many people. */
const MAX_CONNECTIONS = 256;

/** What the guard refuses by, and needs for a refusal. */
interface Refusals {
  readonly hosts: Pick<KnownHosts, 'refuse'>;
  headersOf(request: { readonly id: string; readonly headers: RequestHeaders }): Readonly<Record<string, string>>;
  /** Counts and logs it. */
  report(refused: RefusedRequest): void;
  /** The phase of the process, which probes ask for. */
  phase(): Phase;
}

/** Creates the guard. If callers are not limited, neither are their connections. */
export function createServerGuard(
  limits: CallerLimits,
  proxies: TrustedProxies,
  { hosts, headersOf, report, phase }: Refusals,
): ServerGuard {
  const open = new Map<string, number>();

  function refusalOf(request: IncomingMessage): RequestError | null {
    const excess = excessHeaders(request);
    if (excess !== null) return new RequestError(431, excess);
    return (isProbe(request) ? null : hosts.refuse(request.headers)) ?? limits.refusedNow(request);
  }

  return {
    before: (listener) => (request, response) => {
      const refusal = refusalOf(request);
      if (refusal === null) return listener(request, response);
      if (refusal.status === 429 && isProbe(request)) {
        return answerProbe(response, pathOf(request) === '/healthz' ? 'ok' : phase());
      }
      const { headers } = request;
      const { code, status } = refusal;
      const requestId = requestIdOf(headers);
      report({ code, status, requestId, headers, ms: 0 });
      secureResponse(response);
      refuse(response, { ...headersOf({ id: requestId, headers }), ...refusal.headers }, { refusal, requestId });
    },
    watch(server) {
      if (!limits.isOn) return;
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

function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

function isProbe(request: IncomingMessage): boolean {
  return PROBES.has(pathOf(request));
}

/** The status of the process alone, for who has no requests left: a balancer needs no more. */
function answerProbe(response: ServerResponse, status: Phase | 'ok'): void {
  secureResponse(response);
  const headers = { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status === 'ok' || status === 'ready' ? 200 : 503, headers).end(JSON.stringify({ status }));
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
