import type { Omissions } from '../../runtime/errors/error-list.js';
import type { GatewayRequest } from './request.js';
import type { PlanRecorder } from './trace.js';

/**
 * The context that Apollo passes from the endpoint to the sources. Apollo copies it with `Object.assign`, so it holds
 * references and no getters: all copies share one `caller`.
 */
export interface GatewayContext {
  readonly caller: GatewayRequest;
  /** Null unless the caller gets a trace. */
  readonly recorder: PlanRecorder | null;
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
}

/** The context that the endpoint created, from Apollo's untyped record. */
export function contextOf(context: Record<string, unknown>): GatewayContext {
  return context as unknown as GatewayContext;
}
