import type { CodedError } from '../../../kernel/errors.js';
import type { SpanAttributes } from '../../../kernel/log.js';
import type { ServiceName } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import type { Call, Stage } from '../call.js';
import { coded, mayBeDone, writeInDoubt } from '../failures.js';
import { isWrite } from '../upstream.js';
import type { ServiceParts } from './service-parts.js';

/** Runs a call and records how it went, with the recorder of its operation and for metrics and log. */
export function recordCall({
  service,
  onCall,
}: Pick<ServiceParts, 'service' | 'onCall'>): <T>(call: Call, run: () => Promise<T>) => Promise<T> {
  return async (call, run) => {
    const startMs = call.operation.recorder.elapsedMs();
    const record = (error: CodedError | null) => {
      const row = rowOf(service, call, { startMs, error });
      call.operation.recorder.record(row);
      call.span?.end(attributesOf(row), row.error);
      onCall(row, error, call.operation, call.trial);
    };
    try {
      const value = await run();
      record(null);
      return value;
    } catch (reason) {
      // Keys are checked before anything is done.
      const isRefused = call.trail.head?.status === 401;
      const isInDoubt = isWrite(call.request) && call.trail.sent > 0 && !isRefused && mayBeDone(reason);
      const error = isInDoubt ? writeInDoubt(service, coded(service, reason)) : coded(service, reason);
      record(error);
      throw error;
    }
  };
}

function rowOf(service: ServiceName, call: Call, run: { startMs: number; error: CodedError | null }): UpstreamCall {
  const { request, operation, trail } = call;
  return {
    service,
    method: request.method,
    path: request.template,
    status: trail.head?.status ?? null,
    startMs: run.startMs,
    ms: operation.recorder.elapsedMs() - run.startMs,
    bytes: trail.bytes,
    cache: trail.cache,
    entities: request.entities ?? 1,
    retries: Math.max(0, trail.sent - 1),
    sent: trail.sent,
    ...(trail.queuedMs >= 1 && { queuedMs: Math.round(trail.queuedMs) }),
    ...(trail.stale !== null && { stale: trail.stale }),
    ...(trail.freshMs !== null && { freshMs: Math.floor(trail.freshMs) }),
    ...(run.error !== null && { error: run.error.code }),
    ...(trail.quota !== null && { quota: trail.quota }),
    ...(trail.tookOwnKey && { tookOwnKey: true }),
    planNode: operation.planNode,
  };
}

/** A call's span attributes: templates and figures, never an address or a caller's value. */
function attributesOf(row: UpstreamCall): SpanAttributes {
  return {
    'server.address': row.service,
    'http.request.method': row.method,
    'url.template': row.path,
    ...(row.status !== null && { 'http.response.status_code': row.status }),
    'passerelle.cache': row.cache,
    'passerelle.queued_ms': row.queuedMs ?? 0,
    'passerelle.entities': row.entities,
    'passerelle.sent': row.sent ?? 0,
  };
}

/** Counts how each request was finally answered, except those that are never cached, such as writes. */
export function reportServed({ reporter, clock }: ServiceParts): Stage {
  const recordServed = ({ request, trail }: Call, isReference: boolean) => {
    if (request.cache === 'never') return;
    const isHit = trail.cache === 'HIT' || trail.cache === 'STALE';
    reporter.responses.record({ isHit, referenceMs: isReference ? (trail.storedAtMs ?? clock.wallMs()) : null });
  };
  return (next) => async (call) => {
    try {
      const response = await next(call);
      recordServed(call, call.request.cache === 'reference' && !response.unknown);
      return response;
    } catch (error) {
      // A call refused before it was sent is no request to the service.
      if (call.trail.sent > 0) recordServed(call, false);
      throw error;
    }
  };
}

/** Records what each response's headers say about the key's quota. */
export function reportQuota({ reporter, dialect }: ServiceParts): Stage {
  return (next) => async (call) => {
    const { trail, credential, request } = call;
    const sentBefore = trail.sent;
    try {
      return await next(call);
    } finally {
      const answered = trail.sent > sentBefore && trail.head !== null;
      const fingerprint = credential?.fingerprint ?? 'none';
      for (const scope of answered ? (dialect.scopes?.(request, fingerprint) ?? []) : []) {
        if (scope.kind === 'window' && trail.quota !== null) reporter.quotas.record(scope, fingerprint, trail.quota);
      }
    }
  };
}
