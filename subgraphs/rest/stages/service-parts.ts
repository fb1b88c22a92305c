import type { CodedError } from '../../../kernel/errors.js';
import type { Credential, OperationContext } from '../../../kernel/operation.js';
import type { ServiceName, UpstreamMode } from '../../../kernel/services.js';
import type { UpstreamCall } from '../../../kernel/trace.js';
import type { ResponseCache } from '../cache/response-cache.js';
import type { Detach } from '../call.js';
import type { RouteGroups } from '../circuit-breaker.js';
import type { KeyDoubts } from '../keys.js';
import type { Ports } from '../ports/ports.js';
import type { QuotaLedger } from '../quota/ledger.js';
import type { Health, Reporter } from '../report.js';
import type { Origin } from '../shape.js';
import type { Dialect } from '../upstream.js';

/** What the stages of one service share: each names in its signature what it takes of it. */
export interface ServiceParts extends Pick<Ports, 'clock' | 'random' | 'transport' | 'watchCache'> {
  readonly service: ServiceName;
  readonly mode: UpstreamMode;
  /** Base address, without a slash at its end. */
  readonly baseUrl: string;
  readonly dialect: Dialect;
  readonly origin: Origin;
  /** Null where the service has none. */
  readonly operatorKey: Credential | null;
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
  readonly keyDoubts: KeyDoubts;
  readonly reporter: Reporter;
  /** Called for each finished call, for metrics and the log. */
  readonly onCall: OnCall;
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
