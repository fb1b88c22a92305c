import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Awaitable, isPromise, whenThere } from '../../kernel/awaitable.js';
import { createLoggedNames, type Log } from '../../kernel/log.js';
import { isLoopback } from '../../runtime/configuration/configuration.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { laterTurn } from '../../runtime/event-loop/turns.js';
import type { CrossOrigin } from '../../runtime/http/cross-origin.js';
import { chooseResponseType } from '../../runtime/http/negotiation.js';
import { type RefusedRequest, RequestError } from '../../runtime/http/request-error.js';
import {
  excessHeaders,
  hasTwoHosts,
  oneHeader,
  overlongHeader,
  publicNameIn,
  type RequestHeaders,
  requestIdOf,
} from '../../runtime/http/request-headers.js';
import { SECURITY_HEADERS } from '../../runtime/http/server.js';
import { type Caller, type CallerIdentification, identifyCaller, readCaller } from './caller.js';
import { addressOf, type CallerLimits, isProxy, type LimitHeaders, type TrustedProxies } from './caller-limits.js';

/** Runs before everything that a server reads. */
export interface ServerGuard {
  /**
   * Counts each request against its caller, whatever it asks for, and turns away before anything of it is read: those of
   * callers who have used up their requests, those to a name that is not ours, and those with headers or parameters that
   * would take too long to read. The probes of balancers count, but neither wait for the count nor are refused by it,
   * which would take this process out of service. Nor are preflights, which would keep the refusal itself from their
   * pages.
   */
  before(listener: RequestListener): RequestListener;
  /** Closes connections of an address that holds too many. A trusted proxy may hold any number. */
  watch(server: Server): void;
}

/** A request that the guard has let in. */
export interface AdmittedRequest {
  readonly id: string;
  /** By the clock of `performance`. */
  readonly arrivedMs: number;
  readonly caller: Caller;
  /** Headers that report what the caller has left. */
  readonly limits: LimitHeaders;
}

/** On the request itself: a weak map with an entry for each request is work for the garbage collector. */
const ADMITTED = Symbol('admitted');

type GuardedRequest = IncomingMessage & { [ADMITTED]?: AdmittedRequest };

/** Whose request it is; undefined for a probe or a preflight, whoever sends it. */
export function admittedOf(request: GuardedRequest): AdmittedRequest | undefined {
  return request[ADMITTED];
}

/** Paths of the probes of balancers, which are answered whoever asks, and how often. */
export const [ALIVE, READY] = ['/healthz', '/readyz'] as const;
/** Paths of probes, which no limit refuses. */
const PROBES: ReadonlySet<string> = new Set([ALIVE, READY]);

/** Connections that one address may hold open: an office behind one address has many people. */
const MAX_CONNECTIONS = 256;
/** Probes and preflights of one turn of the event loop that are answered in it. */
const MAX_BRIEF_IN_TURN = 8;

/** Parameters of an address: a link has about ten, and up to twenty conditions. */
const MAX_PARAMETERS = 100;

/** What the guard refuses by, and needs for a refusal. */
export interface GuardOptions extends CallerIdentification {
  readonly hosts: Pick<KnownHosts, 'refuse'>;
  readonly crossOrigin: Pick<CrossOrigin, 'isPreflight'>;
  readonly log: Pick<Log, 'error'>;
  headersOf(request: { readonly id: string; readonly headers: RequestHeaders }): Readonly<Record<string, string>>;
  /** Counts and logs a refusal. */
  report(refused: RefusedRequest): void;
}

/** Creates the guard. If callers are not limited, neither are their connections. */
export function createServerGuard(limits: CallerLimits, proxies: TrustedProxies, options: GuardOptions): ServerGuard {
  const { hosts, crossOrigin } = options;
  let briefInTurn = 0;

  /** Whether a brief request is one of the first of a turn: those of a balancer pass all that waits for a later one. */
  function isAmongFirst(): boolean {
    if (briefInTurn === 0)
      setImmediate(() => {
        briefInTurn = 0;
      });
    briefInTurn += 1;
    return briefInTurn <= MAX_BRIEF_IN_TURN;
  }

  /** Counts a request. Throws, or rejects with, a RequestError for one too many, or for a session of another page. */
  function admit(request: IncomingMessage, id: string): Awaitable<AdmittedRequest> {
    const { headers } = request;
    const arrivedMs = performance.now();
    const sender = readCaller(options, headers);
    const count = (caller: Caller) =>
      whenThere(limits.admit(request, caller), (left) => ({ id, arrivedMs, caller, limits: left }));
    if (!mayUseSession(request)) return count(sender);
    return identifyCaller(options, sender, { headers, id }).then(count, async (error) => {
      await count(sender);
      throw error;
    });
  }

  /** Lets a request in, at once unless something has to be waited for. Throws, or rejects with, why it is refused. */
  function letIn(request: GuardedRequest, response: ServerResponse, id: string): Awaitable<void> {
    const isProbe = PROBES.has(pathOf(request));
    const isBrief = isProbe || crossOrigin.isPreflight(request);
    refuseUncounted(request);
    const refusal = isProbe ? null : hosts.refuse(request.headers);
    if (refusal !== null) throw refusal;
    if (isBrief) (async () => admit(request, id))().catch(() => {});
    return whenThere(isBrief ? undefined : admit(request, id), (admitted) => {
      if (admitted !== undefined) request[ADMITTED] = admitted;
      refuseOverlong(request);
      // A connection answers in the order of its requests: without a socket, this one was sent ahead.
      if (response.socket === null || (isBrief && !isAmongFirst())) return laterTurn();
    });
  }

  function pass(request: GuardedRequest, response: ServerResponse, listener: RequestListener): void {
    const id = requestIdOf(request.headers);
    const proceed = () => void (response.destroyed || listener(request, response));
    const refuse = async (error: unknown) => {
      // Whoever floods this process with what costs next to nothing sends the next once one is answered, or sends a
      // hundred ahead: all that arrive in a turn would keep everybody else waiting in each.
      await laterTurn();
      if (!response.destroyed) turnAway(request, response, { id, error, options });
    };
    let admission: Awaitable<void>;
    try {
      admission = letIn(request, response, id);
    } catch (error) {
      void refuse(error);
      return;
    }
    // Nothing is waited for that is known: this runs before each request.
    if (isPromise(admission)) void admission.then(proceed, refuse);
    else proceed();
  }

  return {
    before: (listener) => (request, response) => pass(request, response, listener),
    watch(server) {
      if (limits.isOn) boundConnections(server, proxies);
    },
  };
}

const INTERNAL = { code: 'INTERNAL' };

/** Responds to a request of which nothing is read. */
function turnAway(
  { headers }: IncomingMessage,
  response: ServerResponse,
  { id, error, options }: { readonly id: string; readonly error: unknown; readonly options: GuardOptions },
): void {
  const { log, report, headersOf } = options;
  if (!(error instanceof RequestError)) log.error({ requestId: id, err: error }, 'request failed');
  const refusal = error instanceof RequestError ? error : new RequestError(500, INTERNAL_MESSAGE, INTERNAL);
  const { code, status, message } = refusal;
  report({ code, status, requestId: id, headers, ms: 0 });
  const type = chooseResponseType(oneHeader(headers, 'accept')) ?? 'application/json';
  const told = { ...headersOf({ id, headers }), ...refusal.headers, 'content-type': `${type}; charset=utf-8` };
  const body = JSON.stringify({ errors: [{ message, extensions: { code, requestId: id } }] });
  response.writeHead(status, { ...SECURITY_HEADERS, ...told }).end(body);
}

/** Closes connections of an address that has too many open. */
function boundConnections(server: Server, proxies: TrustedProxies): void {
  const open = new Map<string, number>();
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
}

/** Throws a RequestError for a request that no client of ours sends. */
export function refuseUncounted(request: IncomingMessage): void {
  const excess = excessHeaders(request);
  if (excess !== null) throw new RequestError(431, excess);
  if (hasTwoHosts(request)) throw new RequestError(400, 'A request has one Host.');
}

/** Throws a RequestError for a request that would take too long to read. */
export function refuseOverlong({ headers, url = '' }: Pick<IncomingMessage, 'headers' | 'url'>): void {
  const overlong = overlongHeader(headers);
  if (overlong !== null) throw new RequestError(431, overlong);
  if (url.split('&', MAX_PARAMETERS + 1).length > MAX_PARAMETERS)
    throw new RequestError(400, `The address has more than ${MAX_PARAMETERS} parameters.`);
}

/** Only operations use the session of a cookie. Clients that put addresses together end ours with a slash. */
function mayUseSession(request: IncomingMessage): boolean {
  const { method, headers } = request;
  if (headers.cookie === undefined) return false;
  const isSent = method === 'POST' && /^application\/json\s*(;|$)/i.test(oneHeader(headers, 'content-type') ?? '');
  return (isSent || method === 'GET' || method === 'HEAD') && /^\/graphql\/?$/.test(pathOf(request));
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
type KnownHosts = ReturnType<typeof createKnownHosts>;

/** Names that are logged in an hour: to see a proxy that passes on another name, and few compared with what can be sent. */
const LOGGED_NAMES = 20;
const LOGGED_LENGTH = 100;

/** Creates it for a gateway that listens beyond loopback; a trusted proxy may pass on any name. */
export function createKnownHosts(publicUrl: string | null, isProxied: boolean, log: Log) {
  const own = publicUrl === null ? null : new URL(publicUrl).hostname;
  let isChecked = own !== null;
  /** The last value of `Host` that was answered: nearly all requests have the same. */
  let answered: string | undefined;
  const isNew = createLoggedNames(LOGGED_NAMES);

  return {
    /** Why a request is refused, with status 421; null if it is answered. Each name is logged once an hour. */
    refuse(headers: RequestHeaders): RequestError | null {
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
    /** Call it with the host that the gateway listens on, before its first request. */
    listensOn(host: string): void {
      isChecked = own !== null || (isLoopback(host) && !isProxied);
    },
  };
}
