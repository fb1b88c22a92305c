import { createHash } from 'node:crypto';
import { CodedError } from '../../../kernel/errors.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import { type Call, type Handler, type Stage, unsentRow } from '../call.js';
import { labelOf } from '../quota/scopes.js';
import type { ServiceParts } from './service-parts.js';

/** Records what a call would cost. Comes before the cache; nothing reaches metrics, log or figures. */
export function dryRun(parts: ServiceParts): Stage {
  return (next) => async (call) => {
    let isCached = false;
    try {
      const response = await next(call);
      isCached = true;
      return response;
    } finally {
      call.operation.recorder.record(rowOf(parts, call, isCached));
    }
  };
}

/** The last stage of a dry run: the call would have to be made. */
export function notCached({ service }: ServiceParts): Handler {
  return async () => {
    throw new CodedError('NOT_CACHED', 'A dry run makes no call.', { service });
  };
}

function rowOf({ service, dialect }: ServiceParts, call: Call, isCached: boolean): UpstreamCall {
  const { request, operation, identity, credential } = call;
  const fingerprint = credential?.fingerprint ?? 'none';
  const scopes = dialect.scopes?.(request, fingerprint) ?? [];
  // The counter that runs out first: a window if there is one, else the proxy's pace.
  const scope = scopes.find(({ kind }) => kind === 'window') ?? scopes[0];
  const isShared = request.cache !== 'never';
  return {
    ...unsentRow(service, request),
    startMs: operation.recorder.elapsedMs(),
    cache: isCached ? 'HIT' : isShared ? 'MISS' : 'BYPASS',
    planNode: operation.planNode,
    priced: {
      scope: scope === undefined ? 'all routes' : labelOf(scope, fingerprint),
      // Equal for calls that would be made only once.
      coalescingKey: isShared ? createHash('sha256').update(identity).digest('base64url').slice(0, 16) : null,
    },
  };
}
