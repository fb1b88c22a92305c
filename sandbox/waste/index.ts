import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { callOf } from '../server/call.js';
import type { Commands } from '../server/control.js';
import { sendUntyped } from '../server/express.js';
import { type ListenOptions, startService } from '../server/service.js';
import type { SandboxService } from '../server/types.js';
import type { World } from '../world/types.js';
import { addApiRoutes, decorateApi, refuseBody, sendNotFound, sendTooManyRequests } from './api-routes.js';
import {
  type ClientApplication,
  createPlatform,
  fixedToken,
  type Platform,
  platformUsers,
  wasteClient,
  wasteToken,
} from './platform.js';
import { bearerToken } from './resource.js';
import { setSwitches, type WasteSwitches } from './switches.js';
import { addUiRoutes } from './ui-routes.js';

export { wasteClient, wasteToken };

/** Options for starting the waste platform. */
export interface WasteOptions extends ListenOptions {
  readonly world: World;
  /** Port of the UI host; any free port if omitted. */
  readonly uiPort?: number;
  /** Registered client applications; only `wasteClient` if omitted. The first holds the users' fixed tokens. */
  readonly applications?: readonly ClientApplication[];
}

/** The running waste platform: `url` is its API host, `authUrl` its UI host. Calls and faults are of the API host. */
export interface WasteService extends SandboxService {
  readonly authUrl: string;
  /** The UI host, with its own calls and faults: only browsers call it. */
  readonly ui: SandboxService;
  readonly client: ClientApplication;
  /** A valid access token of each user, by e-mail. */
  readonly userTokens: ReadonlyMap<string, string>;
  readonly switches: WasteSwitches;
  /** Registers one more redirect address of an application. */
  registerRedirectUri(redirectUri: string, applicationId?: string): void;
  registerApplication(application: ClientApplication): void;
  /** Issues one more valid token for the user, as an exchange does. */
  issueToken(email: string): string;
  /** Revokes all tokens of a user for an application, as users can in their account. Returns how many were valid. */
  revoke(email: string, applicationId?: string): number;
}

/** Starts both hosts of the waste platform on the world's users. */
export async function startWaste(options: WasteOptions): Promise<WasteService> {
  const { world, uiPort, applications = [wasteClient], ...apiOptions } = options;
  const platform = createPlatform({
    users: platformUsers(world),
    applications,
    now: () => api.now(),
    era: () => api.era,
    uiUrl: () => ui.origin,
  });
  const { port: _, era: __, ...shared } = apiOptions;
  const api = await startService({
    ...apiOptions,
    name: 'waste',
    ignoreTrailingSlash: true,
    routes: (app) => addApiRoutes(app, platform),
    keyName: (headers) => holderOf(headers, platform),
    notFound: (request, reply) => sendNotFound(request, reply, platform),
    failure: sendFailure,
    unreadable: refuseBody,
    rateLimited: (request, reply) => sendTooManyRequests(reply, spentWindow(callOf(request).now, platform)),
    decorate: (_request, reply, payload) => decorateApi(reply, payload, platform),
    onReset: () => platform.reset(),
    commands: commandsOf(platform, () => service),
  });
  const ui = await startService({
    ...shared,
    ...(uiPort !== undefined && { port: uiPort }),
    now: () => api.now(),
    name: 'waste-ui',
    ignoreTrailingSlash: true,
    routes: (app) => addUiRoutes(app, platform, () => api.origin),
    keyName: () => 'none',
    notFound: (_request, reply) => sendText(reply, 404, 'Not found'),
    failure: sendFailure,
    unreadable: refuseBody,
    rateLimited: (_request, reply) => sendText(reply, 429, 'Too Many Requests'),
  }).catch(async (error: unknown) => {
    await api.close();
    throw error;
  });
  const service = joinHosts(api, ui, { platform, applications });
  return service;
}

/** Control routes for people and external checks, below `/__sandbox` of the API host. */
function commandsOf(platform: Platform, service: () => WasteService): Commands {
  return {
    'POST /switches': (body) => {
      setSwitches(platform.switches, body);
      return platform.switches;
    },
    'POST /redirect-uris': ({ redirectUri }) => service().registerRedirectUri(String(redirectUri)),
    'POST /revoke': ({ email }) => ({ revoked: service().revoke(String(email)) }),
  };
}

function joinHosts(
  api: SandboxService,
  ui: SandboxService,
  { platform, applications }: { platform: Platform; applications: readonly ClientApplication[] },
): WasteService {
  const [client = wasteClient] = applications;
  const { reset, close, stopListening, startListening } = api;
  return Object.assign(api, {
    authUrl: ui.origin,
    ui,
    client,
    userTokens: new Map(platform.users.map((user, index) => [user.email, fixedToken(index)])),
    switches: platform.switches,
    registerRedirectUri(redirectUri: string, applicationId = client.id) {
      const application = platform.applications.get(applicationId) ?? client;
      const redirectUris = [...application.redirectUris, redirectUri];
      platform.applications.set(applicationId, { ...application, redirectUris });
    },
    registerApplication: (application: ClientApplication) => {
      platform.applications.set(application.id, application);
    },
    issueToken: (email: string) =>
      platform.issueToken({ userId: idOf(email, platform), applicationId: client.id, code: null }),
    revoke: (email: string, applicationId = client.id) =>
      platform.revokeTokens({ userId: idOf(email, platform), applicationId }),
    reset() {
      reset();
      ui.reset();
    },
    async stopListening() {
      await Promise.all([stopListening(), ui.stopListening()]);
    },
    async startListening() {
      await Promise.all([startListening(), ui.startListening()]);
    },
    async close() {
      await Promise.all([close(), ui.close()]);
    },
  });
}

function idOf(email: string, platform: Platform): string {
  const user = platform.userByEmail(email);
  if (user === undefined) throw new Error(`the waste platform has no user ${email}`);
  return user.id;
}

/** Holder of a request's credential: a user's e-mail for a token, an application's id for Basic, or `session`. */
function holderOf(headers: IncomingHttpHeaders, platform: Platform): string {
  const { authorization } = headers;
  if (platform.sessions.of(headers) !== undefined) return 'session';
  if (authorization === undefined) return 'none';
  const [, payload = ''] = authorization.split(' ');
  const [id = ''] = Buffer.from(payload, 'base64').toString('utf8').split(':');
  if (/^basic /i.test(authorization)) return platform.applications.has(id) ? id : 'unknown';
  return platform.userOfToken(bearerToken(authorization) ?? '')?.email ?? 'unknown';
}

/** The platform's own errors have one member (waste-identity 4.3). */
function sendFailure(status: number, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (status === 401) return sendUntyped(reply, status, 'Unauthorized');
  return reply.code(status).send({ error: status < 500 ? 'Bad Request' : 'Erreur serveur' });
}

function sendText(reply: FastifyReply, status: number, text: string): FastifyReply {
  return reply.code(status).type('text/plain; charset=utf-8').send(text);
}

/** A spent window that has just started, for a fault. */
function spentWindow(now: number, { switches }: Platform) {
  const { limit, windowMs } = switches.quota;
  return { limit, windowMs, remaining: 0, resetAt: now + windowMs, resetMs: windowMs, exceeded: true };
}
