import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { createLoggedNames, type Log } from '../../kernel/log.js';
import { isLoopback } from '../../runtime/configuration/configuration.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import type { CrossOrigin } from '../../runtime/http/cross-origin.js';
import { type RefusedRequest, RequestError } from '../../runtime/http/request-error.js';
import {
  excessHeaders,
  hasTwoHosts,
  oneHeader,
  publicNameIn,
  type RequestHeaders,
  requestIdOf,
} from '../../runtime/http/request-headers.js';
import { secureResponse } from '../../runtime/http/server.js';
import { addressOf, type CallerLimits, isProxy, type TrustedProxies } from './caller-limits.js';

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
export const [ALIVE, READY] = ['/healthz', '/readyz'] as const;
/** Paths of probes, which no limit refuses. */
export const PROBES: ReadonlySet<string> = new Set([ALIVE, READY]);

/** Connections that one address may hold open: an office behind one address has many people. */
const MAX_CONNECTIONS = 256;
/** Probes and preflights of one turn of the event loop that are answered in it. */
const MAX_BRIEF_IN_TURN = 8;

/** What the guard refuses by, and needs for a refusal. */
interface Refusals {
  readonly hosts: Pick<KnownHosts, 'refuse'>;
  headersOf(request: { readonly id: string; readonly headers: RequestHeaders }): Readonly<Record<string, string>>;
  /** Counts and logs it. */
  report(refused: RefusedRequest): void;
  readonly crossOrigin: Pick<CrossOrigin, 'isPreflight'>;
}

/** Creates the guard. If callers are not limited, neither are their connections. */
export function createServerGuard(
  limits: CallerLimits,
  proxies: TrustedProxies,
  { hosts, headersOf, report, crossOrigin }: Refusals,
): ServerGuard {
  const open = new Map<string, number>();
  let briefInTurn = 0;

  function refusalOf(request: IncomingMessage, isProbe: boolean, isPreflight: boolean): RequestError | null {
    const excess = excessHeaders(request);
    if (excess !== null) return new RequestError(431, excess);
    if (hasTwoHosts(request)) return new RequestError(400, 'A request has one Host.');
    if (isProbe) return null;
    return hosts.refuse(request.headers) ?? (isPreflight ? null : limits.refusedNow(request));
  }

  /** Whether a brief request is one of the first of a turn: those of a balancer pass all that waits for a later one. */
  function isAmongFirst(): boolean {
    if (briefInTurn === 0)
      setImmediate(() => {
        briefInTurn = 0;
      });
    briefInTurn += 1;
    return briefInTurn <= MAX_BRIEF_IN_TURN;
  }

  function turnAway({ headers }: IncomingMessage, response: ServerResponse, refusal: RequestError): void {
    const { code, status, message } = refusal;
    const requestId = requestIdOf(headers);
    report({ code, status, requestId, headers, ms: 0 });
    secureResponse(response);
    const own = { ...headersOf({ id: requestId, headers }), ...refusal.headers };
    const body = JSON.stringify({ errors: [{ message, extensions: { code, requestId } }] });
    response.writeHead(status, { ...own, 'content-type': 'application/json; charset=utf-8' }).end(body);
  }

  return {
    before: (listener) => (request, response) => {
      const [isProbe, isPreflight] = [PROBES.has(pathOf(request)), crossOrigin.isPreflight(request)];
      const refusal = refusalOf(request, isProbe, isPreflight);
      const isBrief = isProbe || isPreflight;
      // A connection answers in the order of its requests: without a socket, this one was sent ahead.
      if (refusal === null && response.socket !== null && (!isBrief || isAmongFirst()))
        return listener(request, response);
      // Whoever floods this process with what costs next to nothing sends the next once one is answered, or sends a
      // hundred ahead: all that arrive in a turn would keep everybody else waiting in each.
      void laterTurn().then(() => {
        if (response.destroyed) return;
        if (refusal !== null) turnAway(request, response, refusal);
        else listener(request, response);
      });
    },
    watch(server) {
      if (!limits.isOn) return;
      server.on('connection', (socket: Socket) => {
        if (isProxy(socket.remoteAddress ?? '', proxies)) return;
        // Of IPv6, a whole network is one caller's.
        const address = addressOf({ headers: {}, socket }, proxies);
        const count = open.get(address) ?? 0;
        if (count === MAX_CONNECTIONS) {
          socket.destroy();
          return;
        }
        open.set(address, count + 1);
        socket.once('close', () => {
          const left = (open.get(address) ?? 1) - 1;
          if (left === 0) open.delete(address);
          else open.set(address, left);
        });
      });
    },
  };
}

/** The path of a request, without its query. */
export function pathOf({ url = '' }: IncomingMessage): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/*
 * The names that this gateway answers to, against DNS rebinding: a stranger lets a name of theirs resolve to our address,
 * and a browser then takes their page and us for one origin. Their name is in `Host`, which no page can change. Answered
 * are our own name (`PUBLIC_URL`), addresses, and names that nobody can register; any name at all where we cannot know
 * ours, which is without `PUBLIC_URL` beyond loopback or behind a proxy.
 */

/** Refuses requests to names that are not ours. */
interface KnownHosts {
  /** Why a request is refused, with status 421; null if it is answered. Each name is logged once an hour. */
  refuse(headers: RequestHeaders): RequestError | null;
  /** Call it with the host that the gateway listens on, before its first request. */
  listensOn(host: string): void;
}

/** Names that are logged in an hour: to see a proxy that passes on another name, and few compared with what can be sent. */
const LOGGED_NAMES = 20;
const LOGGED_LENGTH = 100;

/** Creates it for a gateway that listens beyond loopback; a trusted proxy may pass on any name. */
export function createKnownHosts(publicUrl: string | null, isProxied: boolean, log: Log): KnownHosts {
  const own = publicUrl === null ? null : new URL(publicUrl).hostname;
  let isChecked = own !== null;
  /** The last value of `Host` that was answered: nearly all requests have the same. */
  let answered: string | undefined;
  const isNew = createLoggedNames(LOGGED_NAMES);

  return {
    refuse(headers) {
      const host = oneHeader(headers, 'host');
      if (!isChecked || (host !== undefined && host === answered)) return null;
      const name = publicNameIn(headers);
      if (name === null || name === own) {
        answered = host;
        return null;
      }
      const logged = name.slice(0, LOGGED_LENGTH);
      if (isNew(logged))
        log.warn(
          { host: logged },
          'refused a name in Host that is not of PUBLIC_URL: a proxy passes it on, or a stranger sends it',
        );
      return new RequestError(421, 'This gateway does not answer to the name in Host: PUBLIC_URL says which it has.');
    },
    listensOn(host) {
      isChecked = own !== null || (isLoopback(host) && !isProxied);
    },
  };
}
