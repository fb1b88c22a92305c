import { unwatchFile, watchFile } from 'node:fs';
import { readSupergraph, type SupergraphFile } from '../gateway/execution/supergraph-file.js';
import type { ReloadOutcome } from '../runtime/process/request-metrics.js';
import type { Log } from '../schema/log.js';

/** How often the file's status is polled: system watches miss files that are replaced or linked. */
const WATCH_MS = 1_000;

/** What a reload needs. */
export interface SupergraphReloadOptions {
  readonly path: string;
  /** The supergraph in use at first. */
  readonly inUse: SupergraphFile;
  readonly log: Log;
  /** Counts reloads by their outcome. */
  readonly count: ((outcome: ReloadOutcome) => void) | null;
  /** Switches to a foreign supergraph. If that cannot be used, rejects and changes nothing. */
  use(sdl: string): Promise<void>;
}

/** Reloads a supergraph when its file changes, and on request. */
export interface SupergraphReload {
  /** Reloads now, after the reloads that were requested earlier. */
  reload(): Promise<ReloadOutcome>;
  close(): Promise<void>;
}

/** Watches a supergraph file. */
export function watchSupergraph({ path, inUse, log, count, use }: SupergraphReloadOptions): SupergraphReload {
  let current = inUse;
  let last: Promise<unknown> = Promise.resolve();

  async function read(): Promise<ReloadOutcome> {
    const file = await readSupergraph(path);
    if (file.sdl === current.sdl) return 'unchanged';
    if (file.ours || current.ours) {
      log.error({}, "the supergraph was not reloaded: to switch between this build's own and another, restart");
      return 'refused';
    }
    await use(file.sdl);
    current = file;
    log.info({}, 'the supergraph was reloaded');
    return 'reloaded';
  }

  async function reloadOnce(isCounted: (outcome: ReloadOutcome) => boolean): Promise<ReloadOutcome> {
    const outcome = await read().catch((err: unknown): ReloadOutcome => {
      log.error({ err }, 'the supergraph cannot be used: the previous one stays');
      return 'unusable';
    });
    if (isCounted(outcome)) count?.(outcome);
    return outcome;
  }

  const reload = (isCounted = (_: ReloadOutcome) => true) => {
    const reloaded = last.then(() => reloadOnce(isCounted));
    last = reloaded;
    return reloaded;
  };
  const changed = () => void reload();
  watchFile(path, { interval: WATCH_MS, persistent: false }, changed);
  // The watch sees only later changes, but the file may have been replaced since it was read at the start.
  void reload((outcome) => outcome !== 'unchanged');
  return {
    reload: () => reload(),
    async close() {
      unwatchFile(path, changed);
      await last;
    },
  };
}
