import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { GraphQLSchema } from 'graphql';
import type { WatchCache } from '../kernel/caches.js';
import type { Log } from '../kernel/log.js';
import type { Subgraph } from '../kernel/operation.js';
import type { ServiceName, UpstreamMode } from '../kernel/services.js';
import type { ServiceSettings } from '../runtime/configuration/configuration.js';
import { addressHash, type Stores } from '../runtime/stores/text-store.js';
import { systemClock } from './rest/ports/ports.js';
import type { Dialect, UpstreamService } from './rest/upstream.js';
import { volunteeringDialect } from './volunteering/dialect.js';
import { createVolunteeringSubgraph, volunteeringSchema } from './volunteering/index.js';
import { wasteIdentityDialect } from './waste-identity/dialect.js';
import { createWasteIdentitySubgraph, wasteIdentitySchema } from './waste-identity/index.js';
import { workStudyDialect } from './work-study/dialect.js';
import { createWorkStudySubgraph, workStudySchema } from './work-study/index.js';

/** What a subgraph is opened with. */
export interface Opening<S extends ServiceName> {
  /** The service, reached with the dialect of its entry. */
  readonly upstream: UpstreamService;
  readonly mode: UpstreamMode;
  /** Address of the service's API: what is stored for one address is worthless for another. */
  readonly baseUrl: string;
  /** The service's variables, whether an operator set them or the sandbox did; null where the service is off. */
  readonly settings: ServiceSettings<S> | null;
  readonly cacheDir: string | null;
  readonly stores: Pick<Stores, 'shared'>;
  readonly watchCache: WatchCache;
  readonly log: Log;
}

/** A subgraph, and what it starts once the process is ready. */
export interface OpenedSubgraph extends Subgraph {
  /** Fetches what queries will need. Never rejects. */
  warmUp?(): Promise<void>;
}

/** A root field that `npm run drift` requests, with arguments for which the real service has data. */
export interface DriftProbe {
  readonly field: string;
  readonly args: string;
}

/** How a service is wired. What is plain data about it stands in `kernel/services.ts`. */
interface SubgraphEntry<S extends ServiceName> {
  /** How the service takes keys, counts calls and reports failures, and which probes show whether it is back. */
  readonly dialect: Dialect;
  /** The operator's key, as the dialect takes it. */
  readonly operatorKey: (settings: ServiceSettings<S>) => string;
  readonly schema: () => GraphQLSchema;
  readonly open: (opening: Opening<S>) => OpenedSubgraph;
  /** Few calls, which together return every kind of object that the service sends without being written to. */
  readonly driftProbes: readonly DriftProbe[];
}

/** The entries of all services. */
export const SUBGRAPHS: { readonly [S in ServiceName]: SubgraphEntry<S> } = {
  'work-study': {
    dialect: workStudyDialect,
    operatorKey: ({ apiKey }) => apiKey.reveal(),
    schema: workStudySchema,
    open: ({ upstream, mode, baseUrl, settings, cacheDir, stores, ...rest }) => {
      if (mode === 'real' && cacheDir === null)
        rest.log.info(
          { folder: tmpdir() },
          'without CACHE_DIR the daily export, of about 1 GB, is in the temporary folder',
        );
      return createWorkStudySubgraph({
        ...rest,
        upstream,
        exportPlaces: { baseUrl, hosts: settings?.exportHosts.split(',') ?? [] },
        cacheFolder: cacheDir === null ? null : join(cacheDir, `work-study-export-${addressHash(baseUrl)}`),
        exportDates: { store: stores.shared, key: `work-study-${addressHash(baseUrl)}:export-date` },
        clock: systemClock,
      });
    },
    driftProbes: [
      { field: 'departements', args: '' },
      { field: 'communes', args: '(code: "33000")' },
      { field: 'missionsLocales', args: '(latitude: 48.85, longitude: 2.35, radius: 50)' },
      { field: 'certifications', args: '(rncp: "RNCP37098")' },
      { field: 'jobSearch', args: '(latitude: 48.85, longitude: 2.35, radius: 50)' },
      { field: 'formations', args: '(first: 10)' },
      { field: 'organismes', args: '(first: 10)' },
    ],
  },
  'waste-identity': {
    dialect: wasteIdentityDialect,
    operatorKey: ({ clientId, clientSecret }) => `${clientId}:${clientSecret.reveal()}`,
    schema: wasteIdentitySchema,
    open: ({ upstream, settings }) =>
      createWasteIdentitySubgraph({
        upstream,
        ...(settings !== null && { authorization: { authUrl: settings.authUrl, clientId: settings.clientId } }),
      }),
    driftProbes: [{ field: 'viewer', args: '' }],
  },
  volunteering: {
    dialect: volunteeringDialect,
    operatorKey: ({ apiKey }) => apiKey.reveal(),
    schema: volunteeringSchema,
    open: ({ upstream }) => createVolunteeringSubgraph({ upstream }),
    driftProbes: [
      { field: 'missions', args: '(first: 25)' },
      { field: 'missionSearch', args: '(first: 25)' },
      { field: 'organizations', args: '(first: 100)' },
    ],
  },
};
