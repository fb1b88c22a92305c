import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import type { ServiceName } from '../../../kernel/services.js';
import type { DriftKind } from '../../../kernel/source-figures.js';
import { addressHash } from '../../../runtime/stores/text-store.js';
import { createResponseCache, freshnessOf } from '../cache/response-cache.js';
import {
  type Call,
  type CallResponse,
  type Detach,
  type Handler,
  parseResponse,
  type Stage,
  startCall,
  Trail,
  unsentRow,
} from '../call.js';
import { createRouteGroups } from '../circuit-breaker.js';
import { coded, timedOut } from '../failures.js';
import type { Ports } from '../ports/ports.js';
import { ACCEPT_ENCODING, type WireHead } from '../ports/transport.js';
import { createLedger } from '../quota/ledger.js';
import { createReporter, Health } from '../report.js';
import type { Sender } from '../shape.js';
import type { Download, UpstreamRequest, UpstreamService } from '../upstream.js';
import { attemptDeadline, parse, recordCall, retry, send } from './attempts.js';
import { authorize, refusedKey } from './authorize.js';
import { breaker, bulkhead } from './breaker.js';
import { cache, coalesce, stale, store } from './cache.js';
import { dryRun, notCached } from './dry-run.js';
import { allowance, quota } from './quota.js';
import { createRecall } from './recall.js';
import type { OnCall, ServiceParts, UpstreamOptions } from './service-parts.js';

/** One service, reached through all stages of the toolkit (architecture 6). */
export function createUpstream(options: UpstreamOptions, ports: Ports): UpstreamService {
  const closing = new AbortController();
  const parts = createParts(options, ports, closing.signal);
  const recorded = recordCall(parts);
  const authorized = authorize(parts);
  const fromCache = cache(parts);
  // In the order in which a call passes through; its response takes the way back. Recording wraps them all.
  const handle = inOrder([
    authorized,
    fromCache,
    stale(parts),
    allowance(parts),
    coalesce(parts),
    store(parts),
    retry(parts),
    refusedKey(parts),
    breaker(parts),
    quota(parts),
    bulkhead(parts),
    attemptDeadline(parts),
  ])(parse(parts)(send(parts)));
  const look = inOrder([authorized, dryRun(parts), fromCache])(notCached(parts));
  const call = createCall(parts, { handle, look, recorded });

  return {
    sender: parts.sender,
    ...createRecall(parts, call),
    call,
    download: (file) => download(file, parts),
    status: () => parts.health.status(),
    figures: (credential) => ({
      ...parts.reporter.figures(parts.ledger.reported(parts.accountOf(credential ?? parts.operatorKey))),
      ...(options.keyEndsMs != null && { keyEndsSeconds: options.keyEndsMs / 1000 }),
    }),
    version: (credential) =>
      credential === null
        ? (parts.cache.versionNow(parts.operatorKey?.fingerprint ?? '') ?? '')
        : parts.cache.versionNow(credential.fingerprint),
    close() {
      closing.abort();
      parts.ledger.close();
      return parts.transport.close();
    },
  };
}

function createParts(options: UpstreamOptions, ports: Ports, closing: AbortSignal): ServiceParts {
  const { service, mode, operatorKey, operatorAccount, dialect, keyEndsMs = null } = options;
  const { clock, random, watchCache, sharedQuota } = ports;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const namespace = `${service}-${addressHash(baseUrl)}`;
  const replica = Math.floor(random() * Number.MAX_SAFE_INTEGER).toString(36);
  const onOutage = (routes: string, isDown: boolean) => options.onOutage?.(service, routes, isDown);
  const groups = createRouteGroups(ports, dialect, onOutage);
  const onFallback = (reason: string | null) => options.onQuotaFallback?.(service, reason);
  const shared = sharedQuota === null ? null : { log: sharedQuota(namespace), replica, onFallback };
  const ledger = createLedger(clock, shared, watchCache);
  const isLocalFallback = () => ledger.isLocalFallback;
  const health = new Health({ mode, operatorKey, keyEndsMs, clock, groups, isLocalFallback });
  const onCall: OnCall = (row, error, operation, isTrial) => {
    health.record(row, error);
    options.onCall(row, error, operation, isTrial);
  };
  const reporter = createReporter(clock, groups);
  const drift = (place: string, kind: DriftKind) => {
    reporter.countDrift(place);
    options.onDrift(service, place, kind);
  };
  const sender: Sender = { service, drift };
  return {
    ...options,
    ...ports,
    baseUrl,
    sender,
    accountOf: (credential) =>
      (credential?.fingerprint === operatorKey?.fingerprint && operatorAccount) || (credential?.fingerprint ?? 'none'),
    namespace,
    replica,
    closing,
    groups,
    ledger,
    health,
    reporter,
    onCall,
    cache: createResponseCache(ports, { prefix: namespace, sender, readOnly: dialect.readOnly === true }),
    detach: inBackground(recordCall({ service, onCall, clock, reporter: null })),
  };
}

function createCall(
  { service, sender }: ServiceParts,
  /** All stages, and those of a dry run. */
  { handle, look, recorded }: { handle: Handler; look: Handler; recorded: ReturnType<typeof recordCall> },
): UpstreamService['call'] {
  return <T>(request: UpstreamRequest<T>, operation: OperationContext): Promise<T | null> => {
    const call = startCall(service, request, operation);
    if (operation.dryRun === true) return look(call).then((cached) => valueIn(cached, request, sender));
    return recorded(call, async () => {
      const response = await handle(call);
      call.trail.freshMs = freshnessOf(request, response, call.trail);
      return valueIn(response, request, sender);
    });
  };
}

function valueIn<T>(response: CallResponse, request: UpstreamRequest<T>, sender: Sender): T | null {
  return response.unknown ? null : parseResponse(response, request, sender);
}

/** Nests stages into one handler, the first outermost. */
function inOrder(stages: readonly Stage[]): (last: Handler) => Handler {
  return (last) => stages.reduceRight<Handler>((next, stage) => stage(next), last);
}

/** Background calls are recorded like any other, but no request waits for them: they are not part of a trace. */
function inBackground(recorded: ReturnType<typeof recordCall>): Detach {
  return ({ span: _, ...call }, run) => {
    const own: Call = { ...call, trail: new Trail('MISS') };
    recorded(own, () => run(own)).catch(() => {});
  };
}

/** A download may be slow, but is aborted after so long without a byte. */
const IDLE_MS = 30_000;

/**
 * Streams a file behind a signed link: no key, no cache, no coalescing. Its row goes to metrics and log; no request is
 * charged for it.
 */
async function* download(
  file: Download,
  { service, transport, clock, onCall }: ServiceParts,
): AsyncGenerator<Uint8Array> {
  const idle = new AbortController();
  const own = new AbortController();
  const watch = () => clock.after(IDLE_MS, () => idle.abort());
  const startedMs = clock.monotonicMs();
  const seen: { status: number | null; bytes: number } = { status: null, bytes: 0 };
  let failure: CodedError | null = null;
  let cancel = watch();
  try {
    const signal = AbortSignal.any([file.signal, idle.signal, own.signal]);
    const headers = { 'accept-encoding': ACCEPT_ENCODING };
    const request = { method: 'GET', url: new URL(file.url), headers, maxBytes: file.maxBytes };
    const response = await transport.open(request, signal);
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
    failure = idle.signal.aborted ? timedOut(service) : coded(service, error);
    throw failure;
  } finally {
    cancel();
    own.abort();
    const row = unsentRow(service, { method: 'GET', template: file.template, entities: 0 });
    const error = failure === null ? {} : { error: failure.code };
    onCall({ ...row, ...seen, ...error, ms: clock.monotonicMs() - startedMs, cache: 'BYPASS', sent: 1 }, failure);
  }
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
