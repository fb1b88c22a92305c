import type { CrossOrigin } from '../../runtime/http/cross-origin.js';
import type { CallerIdentification } from '../callers/caller.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import type { Memory } from '../memory/memory.js';
import type { Pricing } from '../price/price.js';
import type { Subgraphs } from '../remote/subgraphs.js';
import type { ExecutedWay, RefusalReport, Report } from './report.js';

/** What requests are answered with. The functions of this room take it as their first argument. */
export interface Endpoint extends Report, Pricing, CallerIdentification {
  readonly crossOrigin: CrossOrigin;
  readonly callerLimits: CallerLimits;
  /** The only operations that clients may send; null allows all. */
  readonly safelist: SafelistPolicy | null;
  readonly memory: Memory;
  /** How the server executes: on the schema of this process, or on remote subgraphs. */
  readonly way: ExecutedWay;
  readonly subgraphs: Subgraphs;
  /** Milliseconds that one request may take. */
  readonly requestDeadlineMs: number;
  /** Upstream calls that one request may make. */
  readonly maxCallsPerRequest: number;
  readonly reportRefusal: RefusalReport;
}
