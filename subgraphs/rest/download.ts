import { CodedError } from '../../kernel/errors.js';
import type { ServiceName } from '../../kernel/services.js';
import type { UpstreamCall } from '../../kernel/trace.js';
import type { Download } from './call/upstream.js';
import { coded, timedOut } from './failures/errors.js';
import type { Clock } from './ports/clock.js';
import { ACCEPT_ENCODING, type Transport, type WireHead } from './ports/transport.js';

/** A download may be slow, but is aborted after so long without a byte. */
const IDLE_MS = 30_000;

interface DownloadOptions {
  readonly service: ServiceName;
  readonly transport: Transport;
  readonly clock: Clock;
  readonly onCall: (row: UpstreamCall, error: CodedError | null) => void;
}

/**
 * Streams a file behind a signed link: no key, no cache, no coalescing. Its row goes to metrics and log; no request is
 * charged for it.
 */
export function download(options: DownloadOptions): (file: Download) => AsyncIterable<Uint8Array> {
  const { service, transport, clock, onCall } = options;

  return async function* read(file) {
    const controller = new AbortController();
    const abort = () => controller.abort(file.signal.reason);
    if (file.signal.aborted) abort();
    file.signal.addEventListener('abort', abort, { once: true });
    let idle = false;
    const watch = () =>
      clock.after(IDLE_MS, () => {
        idle = true;
        controller.abort();
      });
    const startedMs = clock.monotonicMs();
    const seen: { status: number | null; bytes: number } = { status: null, bytes: 0 };
    let failure: CodedError | null = null;
    let cancel = watch();
    try {
      const response = await transport.open(requestOf(file), controller.signal);
      seen.status = response.status;
      if (response.status !== 200) throw refused(service, response.status);
      const length = lengthOf(response);
      if (length !== null) file.onLength?.(length);
      for await (const chunk of response.body) {
        cancel();
        seen.bytes += chunk.length;
        yield chunk;
        cancel = watch();
      }
    } catch (error) {
      failure = idle ? timedOut(service) : coded(service, error);
      throw failure;
    } finally {
      cancel();
      file.signal.removeEventListener('abort', abort);
      controller.abort();
      onCall(rowOf(service, file, { ...seen, ms: clock.monotonicMs() - startedMs, failure }), failure);
    }
  };
}

function requestOf({ url, maxBytes }: Download) {
  return { method: 'GET', url: new URL(url), headers: { 'accept-encoding': ACCEPT_ENCODING }, maxBytes };
}

/** Bytes of the body as it is passed on; null if unknown, as for a compressed one. */
function lengthOf({ headers }: WireHead): number | null {
  const length = headers['content-encoding'] === undefined ? Number(headers['content-length']) : Number.NaN;
  return Number.isSafeInteger(length) && length > 0 ? length : null;
}

function refused(service: ServiceName, status: number): CodedError {
  return new CodedError('UPSTREAM_UNAVAILABLE', `${service} refuses the download of its file.`, {
    service,
    cause: { status },
  });
}

function rowOf(
  service: ServiceName,
  file: Download,
  seen: { status: number | null; bytes: number; ms: number; failure: CodedError | null },
): UpstreamCall {
  return {
    service,
    method: 'GET',
    path: file.template,
    status: seen.status,
    startMs: 0,
    ms: seen.ms,
    bytes: seen.bytes,
    cache: 'BYPASS',
    entities: 0,
    retries: 0,
    sent: 1,
    ...(seen.failure !== null && { error: seen.failure.code }),
    planNode: '',
  };
}
