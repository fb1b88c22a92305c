import type { WatchCache } from '../../kernel/caches.js';
import type { Log } from '../../kernel/log.js';
import type { Credential, Subgraph } from '../../kernel/operation.js';
import type { SourceStatus } from '../../kernel/source-figures.js';
import { perRequest } from '../graph/loader.js';
import { sourceReport } from '../graph/sources.js';
import { subgraphSchema } from '../graph/subgraph-schema.js';
import type { Clock } from '../rest/ports/ports.js';
import type { UpstreamService } from '../rest/upstream.js';
import { certificationsResolvers } from './certifications/resolvers.js';
import { communeNames } from './communes/commune-names.js';
import { type Context, createLoaders } from './context.js';
import { type ExportPlaces, exportRequests } from './export/export-link.js';
import { exportResolvers } from './export/resolvers.js';
import { SiretDirectory, type SiretDirectoryOptions } from './export/siret-directory.js';
import { geographyResolvers } from './geography/resolvers.js';
import { jobsResolvers } from './jobs/resolvers.js';
import { occupationNames } from './occupations/occupation-names.js';
import { occupationsResolvers } from './occupations/resolvers.js';
import { organismesResolvers } from './organismes/resolvers.js';
import { organizationsResolvers } from './organizations/resolvers.js';
import { publishingResolvers } from './publishing/resolvers.js';
import { trainingResolvers } from './training/resolvers.js';

interface WorkStudySubgraphOptions {
  /** The service, reached with `workStudyDialect`. */
  readonly upstream: UpstreamService;
  /** Folder of this service's address alone where the daily export survives a restart; null stores nothing. */
  readonly cacheFolder: string | null;
  /** Where the link to the export may lead. */
  readonly exportPlaces: ExportPlaces;
  readonly exportDates?: SiretDirectoryOptions['dates'];
  readonly watchCache?: WatchCache;
  readonly clock: Clock;
  readonly log: Log;
}

/** The subgraph's schema, created at the first call. */
export const workStudySchema = subgraphSchema('work-study', [
  geographyResolvers,
  certificationsResolvers,
  jobsResolvers,
  publishingResolvers,
  trainingResolvers,
  organismesResolvers,
  organizationsResolvers,
  exportResolvers,
  occupationsResolvers,
]);

/**
 * The subgraph of offers, certifications, training and geography, and what it starts once the process is ready. Closing it
 * releases the service and the export.
 */
export function createWorkStudySubgraph(options: WorkStudySubgraphOptions): Subgraph & { warmUp(): Promise<void> } {
  const { upstream, cacheFolder, exportPlaces, exportDates, watchCache, clock, log } = options;
  // Before anybody is served: it holds the event loop for half a second.
  communeNames();
  const directory = new SiretDirectory({
    ...exportRequests(upstream, exportPlaces),
    ...{ folder: cacheFolder, dates: exportDates, watchCache, clock, log },
  });
  const loadersOf = perRequest(() => createLoaders(upstream, directory));
  const status = () => withExport(upstream.status(), directory);
  const figures = (credential: Credential | null) => ({
    ...upstream.figures(credential),
    exportLoadedAt: directory.lastUpdate(),
  });
  return {
    name: 'work-study',
    schema: workStudySchema(),
    contextFor: (operation): Context => ({
      operation,
      upstream,
      loaders: loadersOf(operation),
      directory,
      report: () => sourceReport('work-study', { status, figures }, operation),
    }),
    status,
    figures,
    version(credential) {
      const written = upstream.version(credential);
      return written === null ? null : `${written} ${directory.lastUpdate()}`;
    },
    /** Loads the export; resolves when that is done or has failed. */
    async warmUp() {
      if (upstream.status().state === 'OFF') return;
      await directory.warmUp();
      // Last, as nothing waits for it: whoever searches before indexes it.
      await occupationNames();
    },
    async close() {
      await directory.close();
      await upstream.close();
    },
  };
}

/** The service's state, or `LOADING` while only the export is missing, `DEGRADED` where the disk has no room for it. */
function withExport(status: SourceStatus, directory: SiretDirectory): SourceStatus {
  if (status.state !== 'UP') return status;
  const inState = (state: SourceStatus['state'], detail: string): SourceStatus => ({
    ...status,
    state,
    detail: status.detail === undefined ? detail : `${detail}; ${status.detail}`,
  });
  if (directory.state() === 'loading') {
    const share = directory.progress();
    const progress = share === null ? '' : ` (${Math.floor(100 * share)} %)`;
    return inState('LOADING', `the daily export is loading${progress}: workplaces are not complete yet`);
  }
  const shortage = directory.shortage();
  return shortage === null ? status : inState('DEGRADED', shortage);
}
