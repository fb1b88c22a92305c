import { BlockList, isIP } from 'node:net';
import type { Log } from '../../../kernel/log.js';
import type { InTurn } from '../../../runtime/stores/redis.js';
import type { TextStore } from '../../../runtime/stores/text-store.js';
import { invalidResponse } from '../../rest/failures.js';
import type { Origin } from '../../rest/shape.js';
import { type UpstreamService, unattendedOperation } from '../../rest/upstream.js';
import { EXPORT_LINK } from '../publishing/client.js';
import { type PreviousExport, receiveExport } from './receive-export.js';
import { type ExportFile, reopenExport } from './stored-export.js';

/** The service's response about its daily file. */
interface ExportLink {
  /** Valid for two minutes; fetched without a key (work-study 7.6). */
  readonly url: string;
  /** Date of the file; changes when there is a newer one. */
  readonly lastUpdate: string;
}

/** Where the export comes from, and where it is stored. */
export interface ExportSource {
  readonly log: Log;
  /** Called with the share of a load that is done after the last byte, from 0 to 1. */
  readonly onIndexed: (share: number) => void;
  /** In milliseconds since 1970. */
  readonly wallMs: () => number;
  readonly exportLink: (signal: AbortSignal) => Promise<ExportLink>;
  /** The file's bytes as they arrive; `onLength` is called with the expected size if it is known. */
  readonly download: (
    url: string,
    signal: AbortSignal,
    onLength?: (bytes: number) => void,
  ) => AsyncIterable<Uint8Array>;
  /** Folder of this service alone where the file survives a restart; null stores nothing. */
  readonly folder: string | null;
  /** Counts the drift of a file that is refused. */
  readonly origin: Origin;
  /** Null when nothing is shared with other processes, concurrent or earlier. */
  readonly shared: SharedExport | null;
}

/**
 * What replicas share about the export: who is loading it, and its date. Not the file: at about a gigabyte, it would
 * evict from Redis what all replicas need at each call, and loading it is cheap, since its host counts no calls.
 * Replicas with a common folder share the file there; others fetch it one after the other.
 */
export interface SharedExport {
  readonly inTurn: InTurn;
  /** Store that shares the date with other replicas and the next run; null shares it with nobody. */
  readonly store: TextStore | null;
  /** Key of the date in the store, specific to this service's address. */
  readonly key: string;
}

/** The service creates a file once a day and allows few calls, so its date is checked no more often than this. */
export const CHECK_MS = 60 * 60 * 1000;

/**
 * The newest export, or null if its date is that of the previous one. Requests the date from the service only if no replica did
 * recently, and the file only if no replica has it.
 */
export async function newestExport(
  source: ExportSource,
  previous: PreviousExport | null,
  signal: AbortSignal,
): Promise<ExportFile | null> {
  const { shared } = source;
  const current = previous?.lastUpdate ?? null;
  const known = await shared?.store?.get(shared.key);
  if (known !== undefined) {
    if (known === current) return null;
    const stored = await exportInFolder(source, known);
    if (stored !== null) return stored;
  }
  const { url, lastUpdate } = await source.exportLink(signal);
  await shared?.store?.set(shared.key, lastUpdate, CHECK_MS);
  if (lastUpdate === current) return null;
  return (await exportInFolder(source, lastUpdate)) ?? (await download(source, { url, lastUpdate, previous }, signal));
}

/** The export of this date, if it is in the folder. */
async function exportInFolder({ folder, log }: ExportSource, lastUpdate: string): Promise<ExportFile | null> {
  const found = folder === null ? null : await reopenExport(folder, log);
  if (found === null) return null;
  if (found.lastUpdate === lastUpdate) {
    log.info(found.about, 'using the export of another replica');
    return found;
  }
  await found.close();
  return null;
}

interface Download extends ExportLink {
  readonly previous: PreviousExport | null;
}

async function download(source: ExportSource, { url, lastUpdate, previous }: Download, signal: AbortSignal) {
  const { folder, log, origin, onIndexed } = source;
  let length: number | null = null;
  const pieces = source.download(url, signal, (bytes) => {
    length = bytes;
  });
  const received = await receiveExport({
    pieces,
    length: () => length,
    lastUpdate,
    folder,
    nowMs: source.wallMs(),
    log,
    origin,
    previous,
    signal,
    onIndexed,
  });
  log.info(received.about, 'export indexed');
  return received;
}

/** The largest export accepted; today's has about a gigabyte. */
const MAX_EXPORT_BYTES = 8 * 1024 ** 3;

/** How long the request for a link may take; no caller waits for it. */
const LINK_MS = 60_000;

/** Where the link to the export may lead: to files of the service, or to hosts that the operator lists. */
export interface ExportPlaces {
  /** Base address of the service, whose own host may serve the file. */
  readonly baseUrl: string;
  /** Hosts that the operator lists, each with or without its port. */
  readonly hosts: readonly string[];
}

/**
 * How to fetch the service's daily export: the link with the operator's key, the file without a key. Rejects with a
 * CodedError for a link that leads elsewhere.
 */
export function exportRequests(
  upstream: UpstreamService,
  places: ExportPlaces,
): Pick<ExportSource, 'exportLink' | 'download' | 'origin'> {
  return {
    origin: upstream.origin,
    exportLink: (signal) => exportLink(upstream, places, signal),
    download: (url, signal, onLength) =>
      upstream.download({
        url,
        template: '/job/v1/export (file)',
        maxBytes: MAX_EXPORT_BYTES,
        signal,
        ...(onLength && { onLength }),
      }),
  };
}

async function exportLink(upstream: UpstreamService, places: ExportPlaces, signal: AbortSignal): Promise<ExportLink> {
  const link = await upstream.call(EXPORT_LINK, unattendedOperation({ purpose: 'export', ms: LINK_MS, signal }));
  const { url, lastUpdate } = link ?? { url: null, lastUpdate: null };
  if (url === null || lastUpdate === null || !URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalidResponse('work-study', 'no link to its export');
  }
  const { host } = new URL(url);
  if (!isFilePlace(new URL(url), places))
    throw invalidResponse(
      'work-study',
      `a link to its export that leads to ${host}: if that is right, list it in WORK_STUDY_EXPORT_HOSTS`,
    );
  return { url, lastUpdate };
}

/** Domains of the service, and of the object storage that it rents (work-study 7.6). */
const FILE_DOMAINS = ['apprentissage.beta.gouv.fr', 'cloud.ovh.net'];

function isFilePlace(link: URL, { baseUrl, hosts }: ExportPlaces): boolean {
  const base = new URL(baseUrl);
  if (link.origin === base.origin) return true;
  // A service out there has no files on this machine or in its network, even if somebody lists them.
  if (isNearby(link.hostname) && !isNearby(base.hostname)) return false;
  if (hosts.includes(link.host) || hosts.includes(link.hostname)) return true;
  return link.protocol === 'https:' && FILE_DOMAINS.some((domain) => `.${link.hostname}`.endsWith(`.${domain}`));
}

/** Loopback, link-local and private addresses. */
const NEARBY = new BlockList();
for (const [network, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
] as const) {
  NEARBY.addSubnet(network, bits, 'ipv4');
}
for (const [network, bits] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
] as const) {
  NEARBY.addSubnet(network, bits, 'ipv6');
}

/** Whether the name of a host in an address is that of this machine, or an address in its network. */
function isNearby(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return NEARBY.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
  return /(^|\.)localhost\.?$/.test(bare);
}
