import type { IncomingHttpHeaders, Server } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, paramsOf, pathOf } from '../server/call.js';
import { keyHolder } from '../server/keys.js';
import type { QuotaTaken } from '../server/quota.js';
import { type ListenOptions, startService } from '../server/service.js';
import type { Era, SandboxService } from '../server/types.js';
import type { World } from '../world/types.js';
import { type Account, type AuthorizedRequest, createAccounts, volunteeringKeys } from './accounts.js';
import { type Catalogue, createCatalogue } from './catalogue.js';
import {
  decorate,
  quotaHeaders,
  sendFailure,
  sendNoSuchRoute,
  sendTooManyRequests,
  sendUnauthorized,
  WINDOW_MS,
} from './replies.js';
import { createHandlersOfSeed } from './seed.js';
import { createThread, type Load, type Thread, type ThreadSettings } from './thread.js';
import { createHandlersToday } from './today.js';

export { volunteeringKeys };

/** Options for starting the volunteering service. */
export interface VolunteeringOptions extends ListenOptions {
  readonly world: World;
  /** What a reset restores. */
  readonly switches?: Partial<VolunteeringSwitches>;
}

/** What `POST /switches` sets. */
export interface VolunteeringSwitches extends ThreadSettings {
  /**
   * Order of missions with the same `startAt`, which the service leaves undefined (volunteering 2.4): `turning` rotates
   * them by one place with each reply, so that offset pages overlap and skip rows; `stable` keeps the order of the data.
   */
  order: 'turning' | 'stable';
  /** Whether today's lists begin where `skip` says; `ignored` gives the first page for ever. */
  paging: 'followed' | 'ignored';
  /**
   * Whether the list filters by RNA number: the versions between the two names of the parameter know neither
   * (volunteering 2.1).
   */
  rnaFilter: 'known' | 'ignored';
  /** How many missions `total` reports beyond those that there are. */
  surplus: number;
  /** Headers that may carry a key, in the order in which they are tried (volunteering 5.3). */
  keyHeaders: readonly ('apikey' | 'x-api-key')[];
  /** Calls that one account may make in a minute over all routes; 600 unless a test needs fewer (volunteering 6). */
  callsPerMinute: number;
  timing: boolean;
  diesAbove: number | null;
  /** Holders of keys without rules, to which today's service shows no mission (volunteering 2.3). */
  keysWithoutRules: readonly string[];
}

/** The running volunteering service; its base address has no `/v0`. A reset restores its switches. */
export interface VolunteeringService extends SandboxService, VolunteeringSwitches {
  /** Whether the accounts are the one to which all remote missions are in Paris (volunteering 4.1). */
  remoteInParis: boolean;
  /** How loaded its thread is, and has been since the last reset or `clearLoad`. Nothing without `timing`. */
  load(): Load;
  clearLoad(): void;
  /** Ends the time in which it is away after it has died. */
  revive(): void;
}

/** Starts the volunteering service on the world's missions and organizations. */
export async function startVolunteering(options: VolunteeringOptions): Promise<VolunteeringService> {
  const { world, switches = {}, ...serviceOptions } = options;
  let answered = 0;
  const catalogue = createCatalogue(world, {
    baseUrl: () => service.origin,
    turns: () => (service.order === 'turning' ? answered++ : 0),
    startOf: (skip) => (service.paging === 'ignored' ? 0 : skip),
    surplus: () => service.surplus,
    known: (query) =>
      service.rnaFilter === 'known' ? query : { ...query, associationRNA: undefined, organizationRNA: undefined },
    remoteInParis: () => service.remoteInParis,
  });
  const accounts = createAccounts(world.publishers);
  let server: Server | undefined;
  const thread = createThread(
    () => service,
    () => server?.closeAllConnections(),
  );
  const running = await startService({
    ...serviceOptions,
    name: 'volunteering',
    ignoreTrailingSlash: true,
    routes: (app) => {
      server = app.server;
      addRoutes(app, { catalogue, accounts, thread, switches: () => service });
    },
    keyName: (headers) => holderOf(headers, service.keyHeaders),
    notFound: (request, reply) => refuseUnknown(request, reply, { accounts, callsPerMinute: service.callsPerMinute }),
    failure: sendFailure,
    rateLimited: (request, reply) =>
      sendTooManyRequests(reply, spentWindow(callOf(request).now, service.callsPerMinute)),
    decorate,
    onReset: () => {
      answered = 0;
      thread.revive();
      thread.clearLoad();
      Object.assign(service, DEFAULTS, switches, { remoteInParis: false });
    },
    commands: {
      'POST /switches': (body) => setSwitches(service, body),
      'GET /load': () => thread.load(),
      'DELETE /load': () => thread.clearLoad(),
      'POST /revive': () => thread.revive(),
    },
  });
  const { load, clearLoad, revive } = thread;
  const service: VolunteeringService = Object.assign(
    running,
    { ...DEFAULTS, ...switches },
    { remoteInParis: false, load, clearLoad, revive },
  );
  return service;
}

const DEFAULTS: VolunteeringSwitches = {
  order: 'turning',
  paging: 'followed',
  rnaFilter: 'known',
  surplus: 0,
  keyHeaders: ['apikey', 'x-api-key'],
  callsPerMinute: 600,
  timing: false,
  diesAbove: null,
  keysWithoutRules: [],
};

/** Sets the switches that a control request names. */
function setSwitches(service: VolunteeringService, body: Readonly<Record<string, unknown>>): VolunteeringSwitches {
  const { order = service.order, paging = service.paging, surplus = service.surplus } = body;
  const { rnaFilter = service.rnaFilter } = body;
  const { keyHeaders = service.keyHeaders, callsPerMinute = service.callsPerMinute } = body;
  const { timing = service.timing, diesAbove = service.diesAbove } = body;
  const { keysWithoutRules = service.keysWithoutRules } = body;
  if (order !== 'stable' && order !== 'turning') throw new TypeError('order is stable or turning');
  if (paging !== 'followed' && paging !== 'ignored') throw new TypeError('paging is followed or ignored');
  if (rnaFilter !== 'known' && rnaFilter !== 'ignored') throw new TypeError('rnaFilter is known or ignored');
  if (typeof surplus !== 'number') throw new TypeError('surplus is a number');
  if (typeof callsPerMinute !== 'number') throw new TypeError('callsPerMinute is a number');
  if (typeof timing !== 'boolean') throw new TypeError('timing is a boolean');
  if (diesAbove !== null && typeof diesAbove !== 'number') throw new TypeError('diesAbove is a number or null');
  if (!Array.isArray(keysWithoutRules)) throw new TypeError('keysWithoutRules is a list of operator, alice and bob');
  if (!Array.isArray(keyHeaders)) throw new TypeError('keyHeaders is a list of apikey and x-api-key');
  const known = keyHeaders.filter((name) => name === 'apikey' || name === 'x-api-key');
  const pages = { order, paging, rnaFilter, surplus } as const;
  const switches = { ...pages, keyHeaders: known, callsPerMinute, timing, diesAbove, keysWithoutRules };
  Object.assign(service, switches);
  return switches;
}

type Handle = (request: AuthorizedRequest) => object | Promise<object>;

interface Parts {
  readonly catalogue: Catalogue;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly thread: Thread;
  readonly switches: () => VolunteeringSwitches;
}

/** The read routes of the seed (volunteering 1.1) and the redirect that `applicationUrl` points to. */
function addRoutes(app: FastifyInstance, { catalogue, accounts, thread, switches }: Parts): void {
  app.addHook('onRequest', (_request, reply, done) => {
    if (thread.isDown()) reply.hijack().raw.socket?.resetAndDestroy();
    else done();
  });
  const today = createHandlersToday(catalogue, thread);
  const seed = createHandlersOfSeed(catalogue);
  const read = (path: string, handles: Readonly<Record<Era, Handle>>) =>
    app.get(path, (request, reply) => {
      const { call, era, take } = callOf(request);
      const { callsPerMinute, keysWithoutRules } = switches();
      const account = accounts.get(call.key);
      if (account === undefined) return sendUnauthorized(request, reply);
      // The seed documents no window. A bad key costs no quota, and hides mistakes in the parameters (volunteering 5.3).
      const isRefused = era === 'today' && !isAdmitted(reply, take(account.publisherId, callsPerMinute, WINDOW_MS));
      if (isRefused) return reply;
      const isBlind = era === 'today' && keysWithoutRules.includes(account.name);
      return handles[era]({ request, reply, account: isBlind ? { ...account, sees: () => false } : account });
    });
  read('/v0/mission', { today: today.list, seed: seed.list });
  read('/v0/mission/search', { today: today.search, seed: seed.search });
  read('/v0/mission/:id', { today: today.byId, seed: seed.byId });
  read('/v0/organization', { today: today.organizations, seed: seed.organizations });
  app.get('/r/:missionId/:publisherId', redirectToPartner);
}

/** Sets the headers of a call that was counted, or refuses it; returns whether it may go on. */
function isAdmitted(reply: FastifyReply, quota: QuotaTaken): boolean {
  if (quota.exceeded) sendTooManyRequests(reply, quota);
  else reply.headers(quotaHeaders(quota));
  return !quota.exceeded;
}

/** An unknown path. Below the routers, authentication and the limiter come first (volunteering 5.1). */
function refuseUnknown(
  request: FastifyRequest,
  reply: FastifyReply,
  { accounts, callsPerMinute }: { readonly accounts: ReadonlyMap<string, Account>; readonly callsPerMinute: number },
): FastifyReply {
  const { call, era, take } = callOf(request);
  const isRouted = era === 'today' && /^\/v0\/(mission|organization)\//i.test(pathOf(request));
  if (!isRouted) return sendNoSuchRoute(request, reply);
  const account = accounts.get(call.key);
  if (account === undefined) return sendUnauthorized(request, reply);
  if (!isAdmitted(reply, take(account.publisherId, callsPerMinute, WINDOW_MS))) return reply;
  return sendNoSuchRoute(request, reply);
}

/** Holder of the request's key: the first header with a known key wins (volunteering 5.3). */
function holderOf(headers: IncomingHttpHeaders, names: VolunteeringService['keyHeaders']): string {
  const holders = names.map((name) => keyHolder(volunteeringKeys, headers[name]?.toString()));
  const known = holders.find((holder) => holder !== 'none' && holder !== 'unknown');
  return known ?? (holders.includes('unknown') ? 'unknown' : 'none');
}

/** The tracking redirect: each GET counts as a click of the account, so no client may follow it (volunteering 4.1). */
function redirectToPartner(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const location = `https://partner.example.org/missions/${encodeURIComponent(paramsOf(request)['missionId'] ?? '')}`;
  reply.code(302).header('location', location).type('text/plain; charset=utf-8');
  return reply.send(`Found. Redirecting to ${location}`);
}

/** A spent window that has just started, for a fault. */
function spentWindow(now: number, limit: number): QuotaTaken {
  return { limit, remaining: 0, resetAt: now + WINDOW_MS, resetMs: WINDOW_MS, exceeded: true };
}
