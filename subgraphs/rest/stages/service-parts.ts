import type { CodedError } from '../../../kernel/errors.js';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { ServiceName, UpstreamMode } from '../../../kernel/services.js';
import type { DriftKind } from '../../../kernel/source-figures.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import type { ResponseCache } from '../cache/response-cache.js';
import type { Detach } from '../call.js';
import type { RouteGroups } from '../circuit-breaker.js';
import type { Ports } from '../ports/ports.js';
import type { QuotaLedger } from '../quota/ledger.js';
import type { Health, Reporter } from '../report.js';
import type { Sender } from '../shape.js';
import type { Dialect } from '../upstream.js';

/** One service as it is configured. */
export interface UpstreamOptions {
  readonly service: ServiceName;
  /** Base address, with or without a slash at its end. Any address when the mode is `off`. */
  readonly baseUrl: string;
  readonly mode: UpstreamMode;
  /** The operator's own key; null where the service has none. */
  readonly operatorKey: Credential | null;
  /** When that key ends, as it says itself; null or left out if it does not say. */
  readonly keyEndsMs?: number | null;
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

/** What the stages of one service share: each names in its signature what it takes of it. */
export interface ServiceParts extends UpstreamOptions, Ports {
  readonly sender: Sender;
  /** What calls with a key are counted under: its fingerprint, unless the operator named something else. */
  readonly accountOf: (credential: Credential | null) => string;
  /** Separates services and addresses that share a store. */
  readonly namespace: string;
  /** Id of this process. */
  readonly replica: string;
  /** Aborts when the service is closed. */
  readonly closing: AbortSignal;
  readonly cache: ResponseCache;
  readonly groups: RouteGroups;
  readonly ledger: QuotaLedger;
  readonly health: Health;
  readonly reporter: Reporter;
  /** Runs and records background work. */
  readonly detach: Detach;
}

/** Called for each finished call, with the operation that it was made for, and whether it was a trial. */
export type OnCall = (
  row: UpstreamCall,
  error: CodedError | null,
  operation?: OperationContext,
  isTrial?: boolean,
) => void;
