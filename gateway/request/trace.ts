import type { PlanNode, QuotaLeft, Trace, TracedSource, UpstreamCall } from '../../kernel/trace.js';
import { equalInConstantTime, type Secret } from '../../runtime/credentials/secret.js';
import type { GatewayRequest } from './request.js';

/** Who may request a trace (`TRACE`): everyone, nobody, or callers with the secret. */
export type TracePolicy = 'on' | 'off' | Secret;

/** Whether the caller requests a trace and may get one. `header` is their `x-passerelle-trace`. */
export function mayTrace(policy: TracePolicy, header: string | undefined): boolean {
  if (policy === 'off' || header === undefined) return false;
  return policy === 'on' ? header === '1' : equalInConstantTime(header, policy.reveal());
}

/** A node of a query plan, as far as a trace shows it. */
export interface PlannedNode {
  readonly kind: string;
  readonly nodes?: readonly PlannedNode[];
  readonly node?: PlannedNode;
  readonly serviceName?: string;
  readonly operation?: string;
  readonly path?: readonly (string | number)[];
  readonly ifClause?: PlannedNode;
  readonly elseClause?: PlannedNode;
}

/** Records the plan and timings of one request. */
export interface PlanRecorder {
  /** Call it when the plan is ready and execution starts. */
  recordPlan(plan: PlannedNode | undefined): void;
  /** Call it where nothing is planned, with the fields that may make calls. */
  recordJoins(joins: PlanNode): void;
  /** The trace of the request so far. */
  trace(sources: readonly TracedSource[]): Trace;
}

/** Records what `extensions.passerelle` shows. `restoreText` replaces private names with the client's. */
export function createPlanRecorder(
  gatewayRequest: GatewayRequest,
  restoreText: (text: string) => string,
): PlanRecorder {
  let plan: PlanNode | null = null;
  let planMs = 0;
  return {
    recordPlan(node) {
      planMs = gatewayRequest.recorder.elapsedMs();
      plan = node === undefined ? null : describe(node, restoreText);
    },
    recordJoins(joins) {
      plan = joins;
    },
    trace(sources) {
      const totalMs = gatewayRequest.recorder.elapsedMs();
      const { calls, callsOmitted } = gatewayRequest.recorder;
      return {
        requestId: gatewayRequest.id,
        timings: {
          planMs: round(planMs),
          executeMs: round(plan === null ? 0 : totalMs - planMs),
          totalMs: round(totalMs),
        },
        plan,
        calls: calls.map((call) => ({ ...call, startMs: round(call.startMs), ms: round(call.ms) })),
        callsOmitted,
        totals: gatewayRequest.recorder.totals(),
        sources: sources.map((source) => ({ ...source, ...quotaOf(source, calls) })),
      };
    },
  };
}

/** The quota with the smallest share left after the source's calls. */
function quotaOf({ name }: TracedSource, calls: readonly UpstreamCall[]): { quota?: QuotaLeft } {
  const share = ({ limit, remaining }: QuotaLeft) => remaining / Math.max(1, limit);
  const quotas = calls.flatMap(({ service, quota }) => (service === name && quota !== undefined ? [quota] : []));
  const [quota] = quotas.sort((a, b) => share(a) - share(b));
  return quota === undefined ? {} : { quota };
}

/** Rounds milliseconds to hundredths. */
function round(ms: number): number {
  return Math.round(ms * 100) / 100;
}

function describe(node: PlannedNode, restoreText: (text: string) => string): PlanNode | null {
  const children = (nodes: readonly (PlannedNode | undefined)[]) =>
    nodes.flatMap((child) => (child === undefined ? [] : (describe(child, restoreText) ?? [])));
  switch (node.kind) {
    case 'Sequence':
    case 'Parallel':
      return { kind: node.kind, children: children(node.nodes ?? []) };
    case 'Flatten':
      return { kind: 'Flatten', path: restoreText((node.path ?? []).join('.')), children: children([node.node]) };
    case 'Fetch':
      return {
        kind: 'Fetch',
        ...(node.serviceName !== undefined && { service: node.serviceName }),
        ...(node.operation !== undefined && { operation: restoreText(node.operation) }),
      };
    default:
      // A condition of @skip or @include: both of its branches, in order.
      return { kind: 'Sequence', children: children([node.ifClause, node.elseClause]) };
  }
}
