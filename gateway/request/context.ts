import type { Omissions } from '../../runtime/errors/error-list.js';
import type { GatewayRequest } from './request.js';
import type { PlanRecorder } from './trace.js';

/**
 * What Apollo carries from the endpoint to the data sources. Apollo copies it with `Object.assign`, so it holds plain
 * references and no getters; what matters is one object behind `caller`, whose identity the copy keeps.
 */
export interface GatewayContext {
  readonly caller: GatewayRequest;
  /** Present when the caller will see a trace. */
  readonly recorder: PlanRecorder | null;
  /** What the answer leaves out of its errors. */
  readonly omissions: Omissions;
}

/** The context of a request of Apollo's, which types it as any record; it is the one that the GraphQL endpoint made. */
export function contextOf(context: Record<string, unknown>): GatewayContext {
  return context as unknown as GatewayContext;
}
