import type { CodedError } from '../../../schema/errors.js';
import type { ServiceName } from '../../../schema/services.js';
import type { UpstreamCall } from '../../../schema/trace.js';
import type { Call } from '../call/call.js';
import { coded } from '../failures/errors.js';

interface RecordCallOptions {
  readonly service: ServiceName;
  /** Called with every row, for metrics and the log. */
  readonly onCall: (row: UpstreamCall, error: CodedError | null) => void;
}

/** Runs a call and records how it went: with the recorder of its operation, and for metrics and log. */
export function recordCall({
  service,
  onCall,
}: RecordCallOptions): <T>(call: Call, run: () => Promise<T>) => Promise<T> {
  return async (call, run) => {
    const startMs = call.operation.recorder.elapsedMs();
    const record = (error: CodedError | null) => {
      const row = rowOf(service, call, { startMs, error });
      call.operation.recorder.record(row);
      onCall(row, error);
    };
    try {
      const value = await run();
      record(null);
      return value;
    } catch (reason) {
      const error = coded(service, reason);
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
    ...(trail.stale !== null && { stale: trail.stale }),
    ...(trail.freshMs !== null && { freshMs: Math.floor(trail.freshMs) }),
    ...(run.error !== null && { error: run.error.code }),
    ...(trail.quota !== null && { quota: trail.quota }),
    planNode: operation.planNode,
  };
}
