import type { Log } from '../schema/log.js';
import { createFileAdapter, sweepFolder } from './file-adapter.js';
import { createKeyvStore } from './keyv-store.js';
import type { TextStore } from './text-store.js';

/** Where answers are kept beyond the memory of this process. */
export interface Stores {
  /** For what all callers share. */
  readonly shared: TextStore | null;
  /** For what belongs to one key: never on disk. */
  readonly perKey: TextStore | null;
  close(): Promise<void>;
}

/** Opens the stores that the configuration asks for. A folder that cannot be used is told to the log, and no more. */
export function openStores(options: { readonly cacheDir: string | null; readonly log: Log }): Stores {
  const { cacheDir, log } = options;
  if (cacheDir === null) return { shared: null, perKey: null, close: async () => {} };
  void sweepFolder(cacheDir).catch(() => {});
  const files = createKeyvStore(createFileAdapter(cacheDir, log));
  return { shared: files, perKey: null, close: () => files.close() };
}
