import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { callOf, type Payload, pathOf } from '../server/call.js';
import { compressJson } from '../server/proxy.js';
import { type ListenOptions, startService } from '../server/service.js';
import type { SandboxService } from '../server/types.js';
import type { World } from '../world/types.js';
import { NO_KEY, workStudyKeyName } from './http/callers.js';
import { refuseBody, sendApiError, sendUnknownPath } from './http/errors.js';
import { countFailure, createProxyLimiter, rateHeaders, sendFaultyRateLimit, spendCall } from './http/rate-limit.js';
import { CALLER } from './http/route.js';
import { type ApplicationCounts, applicationRoutes } from './jobs/applications.js';
import { createExportFile, exportRoutes } from './jobs/export.js';
import { OfferStore } from './jobs/offer-store.js';
import { type JobWarning, jobReadRoutes } from './jobs/read-routes.js';
import { jobWriteRoutes } from './jobs/write-routes.js';
import { certificationRoutes } from './reference/certifications.js';
import { createCommuneSearch, geographyRoutes } from './reference/geography.js';
import { organismeRoutes } from './reference/organismes.js';
import { describePaths, systemRoutes } from './reference/system.js';
import { appointmentRoutes } from './training/appointments.js';
import { formationRoutes } from './training/formations.js';

/** The work-study service, with controls that only a sandbox has. */
export interface WorkStudyService extends SandboxService {
  /** Sets the warnings of the next searches (work-study 7.1); none by default. */
  warn(warnings: readonly JobWarning[]): void;
  /** Rebuilds the export now: `lastUpdate` changes, and it includes what was published since last night. */
  rebuildExport(): void;
  /** Switches the proxy's limiter of calls per second (work-study 4.2), which is off at first and after a reset. */
  limitAtProxy(on: boolean): void;
  /** Fills the export with this many invented offers, streamed; null restores the world's. */
  useHugeExport(offers: number | null): void;
  /** Has in the export each offer of a number that is a multiple of this once more, from another partner; null has none. */
  repeatOffers(every: number | null): void;
}

/** Options for starting the work-study service. */
export interface WorkStudyOptions extends ListenOptions {
  readonly world: World;
}

/** Starts the work-study service, with the reads, writes, rules, quotas and errors of its document, in both eras. */
export async function startWorkStudy({ world, ...listen }: WorkStudyOptions): Promise<WorkStudyService> {
  const communesOf = createCommuneSearch(world);
  const store = new OfferStore(world, communesOf);
  const applications: ApplicationCounts = new Map();
  const proxy = createProxyLimiter();
  let warnings: readonly JobWarning[] = [];
  const file = createExportFile(world, store, () => service.era);
  const addRoutes = (app: FastifyInstance): void => {
    app.decorateRequest(CALLER, null);
    const paths = describePaths(app);
    jobReadRoutes(app, { world, store, warnings: () => warnings });
    exportRoutes(app, file);
    jobWriteRoutes(app, store);
    applicationRoutes(app, store, applications);
    formationRoutes(app, world);
    appointmentRoutes(app, world);
    certificationRoutes(app, world);
    organismeRoutes(app, world);
    geographyRoutes(app, world, communesOf);
    systemRoutes(app, paths);
  };
  const service = await startService({
    ...listen,
    name: 'work-study',
    basePath: '/api',
    routes: addRoutes,
    keyName: workStudyKeyName,
    notFound: sendNotFound,
    failure: sendFailure,
    unreadable: refuseBody,
    rateLimited: sendFaultyRateLimit,
    admits: (request) => proxy.admits(request),
    decorate,
    compress: (request, reply, payload) => (isStored(request) ? payload : compressJson(request, reply, payload)),
    onReset() {
      store.reset();
      file.reset();
      applications.clear();
      proxy.reset();
      warnings = [];
    },
  });
  return Object.assign(service, {
    warn(next: readonly JobWarning[]) {
      warnings = next;
    },
    limitAtProxy: (on: boolean) => proxy.switch(on),
    rebuildExport: () => file.rebuild(service.now()),
    useHugeExport: (offers: number | null) => file.useHuge(offers),
    repeatOffers: (every: number | null) => file.repeatOffers(every),
  });
}

function sendNotFound(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  // In the seed, every response has the limiter's headers (work-study 12.8.2).
  if (callOf(request).era === 'seed') reply.headers(rateHeaders(spendCall(request, 'unknown', 600)));
  return sendUnknownPath(reply);
}

/** On a limited route, a failure of the API is one behind the limiter (work-study 5.3). */
function sendFailure(status: number, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = status === 500 || status === 504 ? countFailure(request, reply) : undefined;
  return refusal ?? sendApiError(reply, status, textOf(status, request));
}

function textOf(status: number, request: FastifyRequest): string {
  if (callOf(request).faults.main?.kind === 'key-database') return NO_KEY;
  return status === 403 ? "Vous n'êtes pas autorisé à accéder à cette ressource" : 'Error requested of the sandbox';
}

/** Adds the API's CORS headers and its proxy's, to every reply but the file store's (work-study 2). */
function decorate(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload {
  if (isStored(request)) return payload;
  reply.headers({
    vary: 'Origin',
    'access-control-allow-credentials': 'true',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
    'x-frame-options': 'SAMEORIGIN',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  return payload;
}

/** Whether a request is for the file store. */
function isStored(request: FastifyRequest): boolean {
  return pathOf(request).startsWith('/storage/');
}
