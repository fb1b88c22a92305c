import { BlockList, isIP } from 'node:net';
import { invalidResponse } from '../../rest/failures.js';
import { type UpstreamService, unattendedOperation } from '../../rest/upstream.js';
import { EXPORT_LINK } from '../publishing/client.js';
import type { ExportSource } from './receive-export.js';

/** The service's response about its daily file. */
export interface ExportLink {
  /** Valid for two minutes; fetched without a key (work-study 7.6). */
  readonly url: string;
  /** Date of the file; changes when there is a newer one. */
  readonly lastUpdate: string;
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
): Pick<ExportSource, 'exportLink' | 'download' | 'sender'> {
  return {
    sender: upstream.sender,
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
for (const network of (
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ' +
  '::/127 fc00::/7 fe80::/10'
).split(' ')) {
  const [start = '', bits] = network.split('/');
  NEARBY.addSubnet(start, Number(bits), isIP(start) === 6 ? 'ipv6' : 'ipv4');
}

/** Whether the name of a host in an address is that of this machine, or an address in its network. */
function isNearby(hostname: string): boolean {
  const bare = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(bare) !== 0) return NEARBY.check(bare, isIP(bare) === 6 ? 'ipv6' : 'ipv4');
  return /(^|\.)localhost\.?$/.test(bare);
}
