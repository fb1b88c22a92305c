import { CodedError } from '../../../schema/errors.js';
import type { Log } from '../../../schema/log.js';
import type { UpstreamService } from '../../rest/call/upstream.js';
import type { Clock } from '../../rest/ports/clock.js';
import type { ExportLink, SharedExport } from '../export/newest-export.js';
import { createSiretDirectory, type SiretDirectory } from '../export/siret-directory.js';
import { unattendedOperation } from '../operations/unattended-operation.js';
import type { PublishingClient } from '../publishing/client.js';

/** The largest export that is taken: today's has about a gigabyte. */
const MAX_EXPORT_BYTES = 8 * 1024 ** 3;

/** How long the request for a link may take: no caller waits for it. */
const LINK_MS = 60_000;

interface ExportDirectoryOptions {
  readonly upstream: UpstreamService;
  readonly publishing: PublishingClient;
  readonly clock: Clock;
  /** Where the export survives a restart; null keeps nothing. */
  readonly folder: string | null;
  readonly shared: SharedExport | null;
  readonly log: Log;
}

/** The SIRET directory over the service's daily export: the link with the operator's key, the file without any. */
export function createExportDirectory({
  upstream,
  publishing,
  clock,
  folder,
  shared,
  log,
}: ExportDirectoryOptions): SiretDirectory {
  return createSiretDirectory({
    exportLink: (signal) => exportLink(publishing, signal),
    download: (url, signal, onLength) =>
      upstream.download({
        url,
        template: '/job/v1/export (file)',
        maxBytes: MAX_EXPORT_BYTES,
        signal,
        ...(onLength && { onLength }),
      }),
    clock,
    folder,
    shared,
    log,
  });
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
