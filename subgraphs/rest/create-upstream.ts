import type { Credential, OperationContext } from '../../kernel/operation.js';
import { ready } from '../../kernel/ready.js';
import type { ServiceName, UpstreamMode } from '../../kernel/services.js';
import type { DriftKind } from '../../kernel/source-figures.js';
import { addressHash } from '../../runtime/stores/text-store.js';
import { freshnessOf } from './cache/freshness.js';
import { peek } from './cache/peek.js';
import { createResponseCache } from './cache/response-cache.js';
import {
  type Call,
  type CallResponse,
  createTrail,
  type Detach,
  type Handler,
  parseResponse,
  type Stage,
} from './call/call.js';
import type { Dialect } from './call/dialect.js';
import type { UpstreamRequest, UpstreamService } from './call/upstream.js';
import { download } from './download.js';
import type { Ports } from './ports/ports.js';
import { createMemoryLedger, type QuotaLedger } from './quota/ledger.js';
import { createSharedLedger, type StoreLinkOptions } from './quota/shared-ledger.js';
import { createHealth } from './report/health.js';
import { createReporter } from './report/reporter.js';
import { createRouteGroups } from './resilience/route-groups.js';
import type { Origin } from './responses/shape.js';
import { authorize, refusedKey } from './stages/authorize.js';
import { breaker, bulkhead } from './stages/breaker.js';
import { cache, store } from './stages/cache.js';
import { coalesce } from './stages/coalesce.js';
import { dryRun, notCached } from './stages/dry-run.js';
import { parse } from './stages/parse.js';
import { allowance, quota } from './stages/quota.js';
import { type OnCall, recordCall, reportQuota, reportServed } from './stages/record-call.js';
import { attemptDeadline, retry } from './stages/retry.js';
import { send } from './stages/send.js';
import { stale } from './stages/stale.js';
import { createProber } from './stages/trial.js';

/** The largest body that is read into memory; the export, which is larger, is streamed to disk. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/** One service as it is configured. */
export interface UpstreamOptions {
  readonly service: ServiceName;
  /** Base address, with or without a slash at its end. Any address when the mode is `off`. */
  readonly baseUrl: string;
  readonly mode: UpstreamMode;
  /** The operator's own key; null where the service has none. */
  readonly operatorKey: Credential | null;
  /** What calls with this key are counted under, together with other replicas; its fingerprint when left out. */
  readonly operatorAccount?: string;
  readonly dialect: Dialect;
  /** Called for each finished call, for metrics and log. The error carries its cause. */
  readonly onCall: OnCall;
  /** Counts a value that is not as documented, by its place such as `Mission.title`. */
  readonly onDrift: (service: ServiceName, place: string, kind: DriftKind) => void;
  /** Called with the reason when its quota falls back to local counting; with null when it is shared again. */
  readonly onQuotaFallback?: (service: ServiceName, reason: string | null) => void;
  /** Called when some of its routes, such as `/v0/mission`, are found down, and when they are back. */
  readonly onOutage?: (service: ServiceName, routes: string, isDown: boolean) => void;
}

/** One service, reached through all stages of the toolkit (architecture 6). */
export function createUpstream(options: UpstreamOptions, ports: Ports): UpstreamService {
  const { service, mode, operatorKey, operatorAccount, dialect, onDrift, onQuotaFallback, onOutage } = options;
  const { clock, random, transport, watchCache } = ports;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  const namespace = `${service}-${addressHash(baseUrl)}`;
  const replica = Math.floor(random() * Number.MAX_SAFE_INTEGER).toString(36);
  const onGroupOutage = (routes: string, isDown: boolean) => onOutage?.(service, routes, isDown);
  const groups = createRouteGroups({ clock, random, probes: dialect.probes, onOutage: onGroupOutage });
  const onFallback = (reason: string | null) => onQuotaFallback?.(service, reason);
  const ledger = openLedger(ports, { service: namespace, replica, onFallback });
  const health = createHealth(mode, groups, () => ledger.isLocalFallback);
  const onCall: UpstreamOptions['onCall'] = (row, error, operation, isTrial) => {
    health.record(row, error);
    options.onCall(row, error, operation, isTrial);
  };
  const reporter = createReporter({ clock, groups, operatorKey, watchCache });
  const recorded = recordCall({ service, onCall });
  const drift = (place: string, kind: DriftKind) => {
    reporter.drift.count(place);
    onDrift(service, place, kind);
  };
  const origin: Origin = { service, drift };
  const { readOnly = false } = dialect;
  const responseCache = createResponseCache(ports, { prefix: namespace, origin, readOnly });

  const detach = inBackground(recorded);
  const prober = createProber({ clock, detach, operatorKey });
  const authorized = authorize({ service, mode, operatorKey });
  const fromCache = cache({ cache: responseCache, clock });
  // In the order in which a call passes through; its response takes the way back. Recording wraps them all.
  const handle = inOrder([
    reportServed({ responses: reporter.responses, clock }),
    authorized,
    fromCache,
    stale({ clock, groups, detach, watchCache }),
    allowance(service),
    coalesce({ service, clock }),
    store({ cache: responseCache }),
    retry({ clock, random, groups }),
    refusedKey({ service, operatorKey, clock, onVerdict: health.recordOperatorKey, watchCache }),
    breaker({ service, groups, clock, cache: responseCache, detach, prober }),
    quota({ service, dialect, operatorKey, operatorAccount, prefix: namespace, ledger, clock, replica }),
    reportQuota({ board: reporter.quotas, dialect }),
    bulkhead({ service, groups, clock }),
    attemptDeadline({ service, clock }),
  ])(parse({ service, dialect, origin })(send({ transport, dialect, baseUrl, maxBytes: MAX_BODY_BYTES })));
  const look = inOrder([authorized, dryRun({ service, dialect }), fromCache])(notCached(service));
  const peekAt = peek({ service, mode, operatorKey, cache: responseCache, clock, origin, reporter, onCall });

  const call = createCall({ service, origin, handle, look, recorded });

  return {
    origin,
    peek: peekAt,
    read: peekOrCall(peekAt, call),
    call,
    download: download({ service, transport, clock, onCall }),
    status: () => health.status(),
    figures: (credential) => reporter.figures(credential),
    close() {
      prober.close();
      ledger.close();
      return transport.close();
    },
  };
}

/** Null is a value too: the service is known not to have the resource. */
function peekOrCall(peekAt: UpstreamService['peek'], call: UpstreamService['call']): UpstreamService['read'] {
  return (request, operation) => {
    const cached = peekAt(request, operation);
    return cached === undefined ? call(request, operation) : ready(cached);
  };
}

interface CallOptions {
  readonly service: ServiceName;
  readonly origin: Origin;
  /** All stages, and those of a dry run. */
  readonly handle: Handler;
  readonly look: Handler;
  readonly recorded: ReturnType<typeof recordCall>;
}

function createCall({ service, origin, handle, look, recorded }: CallOptions): UpstreamService['call'] {
  return <T>(request: UpstreamRequest<T>, operation: OperationContext): Promise<T | null> => {
    const call = startCall(service, request, operation);
    if (operation.dryRun === true) return look(call).then((cached) => valueIn(cached, request, origin));
    return recorded(call, async () => {
      // A run that uses only what is at hand makes no call.
      operation.atHand?.giveUp('uncached');
      const response = await handle(call);
      call.trail.freshMs = freshnessOf(request, response, call.trail);
      return valueIn(response, request, origin);
    });
  };
}

function valueIn<T>(response: CallResponse, request: UpstreamRequest<T>, origin: Origin): T | null {
  return response.unknown ? null : parseResponse(response, request, origin);
}

/** Nests stages into one handler, the first outermost. */
function inOrder(stages: readonly Stage[]): (last: Handler) => Handler {
  return (last) => stages.reduceRight<Handler>((next, stage) => stage(next), last);
}

function openLedger(
  { clock, sharedQuota, watchCache }: Ports,
  own: Pick<StoreLinkOptions, 'service' | 'replica' | 'onFallback'>,
): QuotaLedger {
  return sharedQuota === null
    ? createMemoryLedger(clock, watchCache)
    : createSharedLedger({ store: sharedQuota, clock, watchCache, ...own });
}

/** Background calls are recorded like any other. */
function inBackground(recorded: ReturnType<typeof recordCall>): Detach {
  return (call, run) => {
    const own = detached(call);
    recorded(own, () => run(own)).catch(() => {});
  };
}

/** A call that no request waits for, and so is not part of a trace. */
function detached({ span: _, ...call }: Call): Call {
  return { ...call, trail: createTrail('MISS') };
}

function startCall(service: ServiceName, request: UpstreamRequest<unknown>, operation: OperationContext): Call {
  const span = operation.span?.child(`call ${service}`);
  return {
    request,
    operation,
    credential: null,
    partition: 'none',
    identity: '',
    signal: operation.signal,
    stop: () => {},
    deadline: operation.deadline,
    entry: null,
    unattended: false,
    trial: false,
    trail: createTrail(request.cache === 'never' ? 'BYPASS' : 'MISS'),
    ...(span !== undefined && { span }),
  };
}
