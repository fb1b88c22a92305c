import { CodedError } from '../../../kernel/errors.js';
import { type UpstreamService, unattendedOperation } from '../../rest/call/upstream.js';
import type { PublishingClient } from '../publishing/client.js';
import type { ExportLink, ExportSource } from './newest-export.js';

/** The largest export accepted; today's has about a gigabyte. */
const MAX_EXPORT_BYTES = 8 * 1024 ** 3;

/** How long the request for a link may take; no caller waits for it. */
const LINK_MS = 60_000;

/** How to fetch the service's daily export: the link with the operator's key, the file without a key. */
export function exportRequests(
  upstream: UpstreamService,
  publishing: PublishingClient,
): Pick<ExportSource, 'exportLink' | 'download' | 'origin'> {
  return {
    origin: upstream.origin,
    exportLink: (signal) => exportLink(publishing, signal),
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

async function exportLink(publishing: PublishingClient, signal: AbortSignal): Promise<ExportLink> {
  const link = await publishing.exportLink(unattendedOperation({ purpose: 'export', ms: LINK_MS, signal }));
  const { url, lastUpdate } = link ?? { url: null, lastUpdate: null };
  if (url === null || lastUpdate === null) {
    throw new CodedError('UPSTREAM_INVALID_RESPONSE', 'work-study sent no link to its export.', {
      service: 'work-study',
    });
  }
  return { url, lastUpdate };
}
