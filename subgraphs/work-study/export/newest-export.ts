import type { InTurn } from '../../../runtime/redis/redis-lease.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import type { Log } from '../../../schema/log.js';
import type { ExportFile } from './export-file.js';
import { reopenExport } from './export-folder.js';
import { receiveExport } from './receive-export.js';

/** The service's answer about its daily file. */
export interface ExportLink {
  /** Valid for two minutes; fetched without a key (work-study 7.6). */
  readonly url: string;
  /** Date of the file: it moves when there is a newer one. */
  readonly lastUpdate: string;
}

/** Where the export comes from, and where it lies. */
export interface ExportSource {
  readonly exportLink: (signal: AbortSignal) => Promise<ExportLink>;
  /** The file's bytes as they arrive; `onLength` hears how many there will be, where that is known. */
  readonly download: (
    url: string,
    signal: AbortSignal,
    onLength?: (bytes: number) => void,
  ) => AsyncIterable<Uint8Array>;
  /** Where the file survives a restart, a folder of this service alone; null keeps nothing. */
  readonly folder: string | null;
  readonly log: Log;
  /** Null when this process is the only one, and none came before it. */
  readonly shared: SharedExport | null;
}

/**
 * What replicas know of the export together: who is at it, and its date. Not the file: with about a gigabyte it would
 * drive out of Redis what all of them need at each call, and it spends little of the service, for it lies on a host that
 * counts no calls. Replicas with a common folder have it in common there; others fetch it one after the other.
 */
export interface SharedExport {
  readonly inTurn: InTurn;
  /** Where its date is told to the others and to the next run; null tells nobody. */
  readonly store: TextStore | null;
  /** Name of the date in the store, of this service's address alone. */
  readonly key: string;
}

/** The file is made once a day; the service allows few calls, so its age is asked no more often than this. */
export const CHECK_MS = 60 * 60 * 1000;

/**
 * The newest export when it is another than the one of this date; null when that is the newest. Asks the service for the
 * date only when nobody did lately, and for the file only when no replica has brought it.
 */
export async function newestExport(
  source: ExportSource,
  current: string | null,
  signal: AbortSignal,
): Promise<ExportFile | null> {
  const { shared } = source;
  const known = await shared?.store?.get(shared.key);
  if (known !== undefined) {
    if (known === current) return null;
    const brought = await broughtByOther(source, known);
    if (brought !== null) return brought;
  }
  const { url, lastUpdate } = await source.exportLink(signal);
  await shared?.store?.set(shared.key, lastUpdate, CHECK_MS);
  if (lastUpdate === current) return null;
  return (await broughtByOther(source, lastUpdate)) ?? (await download(source, { url, lastUpdate }, signal));
}

/** The export of this date, when it lies in the folder. */
async function broughtByOther({ folder, log }: ExportSource, lastUpdate: string): Promise<ExportFile | null> {
  const found = folder === null ? null : await reopenExport(folder);
  if (found === null) return null;
  if (found.lastUpdate === lastUpdate) {
    log.info(found.summary(), 'Took up the export of another replica.');
    return found;
  }
  await found.close();
  return null;
}

async function download(source: ExportSource, { url, lastUpdate }: ExportLink, signal: AbortSignal) {
  const { folder, log } = source;
  const received = await receiveExport({ pieces: source.download(url, signal), lastUpdate, folder });
  log.info(received.summary(), 'Indexed the export.');
  return received;
}
