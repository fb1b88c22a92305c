import { setMaxListeners } from 'node:events';
import {
  type DocumentNode,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  type OperationDefinitionNode,
  separateOperations,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { instantOf } from '../../kernel/dates.js';
import { CodedError } from '../../kernel/errors.js';
import type { Span } from '../../kernel/log.js';
import type { CallAllowance, CallRecorder, Credential, OperationContext } from '../../kernel/operation.js';
import { fromEachService, type ServiceName } from '../../kernel/services.js';
import type { ScopeQuota } from '../../kernel/source-figures.js';
import { isRecord } from '../../kernel/text.js';
import type {
  PlanNode,
  QuotaLeft,
  Staleness,
  StaleReason,
  StoredData,
  Trace,
  TracedSource,
  UpstreamCall,
} from '../../kernel/trace.js';
import { type MintCredential, readCredential } from '../../runtime/credentials/credentials.js';
import { equalInConstantTime, type Secret } from '../../runtime/credentials/secret.js';
import { createOmissions, type Omissions } from '../../runtime/errors.js';
import { inTurn } from '../../runtime/event-loop/turns.js';
import type { RequestHeaders } from '../../runtime/http/request-headers.js';

/** Receives the error for everything that is cut off. */
type CutoffListener = (reason: CodedError) => void;

/** What a request is created from. */
interface GatewayRequestOptions {
  readonly id: string;
  readonly callerId: string;
  readonly deadlineMs: number;
  readonly credentials: CallerCredentials;
  /** Whether the recorder lists calls, as many as a trace shows or all; they are counted in any case. */
  readonly recordCalls: boolean | 'all';
  /** True for the gateway's own operations, which may select internal fields. */
  readonly internal?: boolean;
  /** Present in a dry run, which makes no call: receives each call that would be needed. */
  readonly dryRun?: (call: UpstreamCall) => void;
  /** Calls that it may make; unlimited if omitted. */
  readonly allowance?: CallAllowance | null;
  /** The span of the request; if omitted, it is not traced. */
  readonly span?: Span | null;
  /** As the caller sent it. */
  readonly traceparent?: string | undefined;
}

/** Time to collect partial results after the deadline; upstream calls end within 100 ms of it. */
const GRACE_MS = 250;

/** One client request, from arrival to response. Loaders are keyed by its identity. */
export class GatewayRequest {
  readonly id: string;
  /** The identifier that its caller's limits are counted by. */
  readonly callerId: string;
  readonly recorder: RequestRecorder;
  /** Calls that it may still make; null if unlimited. */
  readonly allowance: CallAllowance | null;
  /** The span of the request; null if nothing is traced. */
  readonly span: Span | null;
  /** Its `traceparent`, even if only the caller traces; undefined if nobody does. */
  readonly traceparent: string | undefined;
  /** What it executes, once that is known; null before, and if it is no valid operation. */
  operation: OperationFacts | null = null;
  readonly #options: GatewayRequestOptions;
  #controller: AbortController | null = null;
  readonly #listeners = new Set<CutoffListener>();
  /** Why its calls are aborted, and what follows once partial results are collected. */
  #abortedBy: CodedError | null = null;
  #cutOffBy: CodedError | null = null;
  #endsAtMs: number;
  #timer: NodeJS.Timeout;

  /** Starts its deadline. */
  constructor(options: GatewayRequestOptions) {
    const { id, callerId, deadlineMs, allowance = null, span = null, traceparent } = options;
    const startedMs = performance.now();
    this.#options = options;
    this.#endsAtMs = startedMs + deadlineMs;
    this.id = id;
    this.callerId = callerId;
    this.recorder = new RequestRecorder(() => performance.now() - startedMs, options.recordCalls, options.dryRun);
    this.allowance = allowance;
    this.span = span;
    this.traceparent = span?.traceparent ?? traceparent;
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(() => void inTurn(() => this.#stop(deadlineExceeded()), this.callerId), GRACE_MS);
      void inTurn(() => this.#abort(deadlineExceeded()), this.callerId);
    }, deadlineMs);
  }

  /**
   * Aborts when the client disconnects or the deadline is over, and with it every call made for the request. It is made
   * for the first call: nothing else costs as much of a request that memory answers.
   */
  get signal(): AbortSignal {
    if (this.#controller === null) {
      this.#controller = new AbortController();
      // Every call listens to the signal; Node would report more than ten listeners as a leak.
      setMaxListeners(0, this.#controller.signal);
      if (this.#abortedBy !== null) this.#controller.abort(this.#abortedBy);
    }
    return this.#controller.signal;
  }

  /** Throws the reason once the signal is aborted, or would be. */
  throwIfAborted(): void {
    if (this.#abortedBy !== null) throw this.#abortedBy;
  }

  /** Milliseconds until the deadline, never negative; 0 once the client has disconnected. */
  remainingMs = (): number => Math.max(0, this.#endsAtMs - performance.now());

  /**
   * Calls back when the client disconnects, or shortly after the deadline: results that were in time have arrived by
   * then, and whatever still hangs is cut off. Returns a function that removes the listener.
   */
  onCutoff(listener: CutoffListener): () => void {
    if (this.#cutOffBy !== null) listener(this.#cutOffBy);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * The context of one operation, with the caller's credential for that service only. `execution` is what its lists are
   * completed in; the request if omitted.
   */
  operationOf(service: ServiceName, planNode: string, span?: Span, execution?: object): OperationContext {
    const { credentials, internal = false, dryRun } = this.#options;
    const { id, callerId, recorder, allowance, remainingMs } = this;
    const request = this;
    return {
      requestId: id,
      request,
      caller: callerId,
      deadline: { remainingMs },
      get signal() {
        return request.signal;
      },
      credential: credentials[service],
      internal,
      planNode,
      recorder,
      ...(allowance !== null && { allowance }),
      ...(dryRun !== undefined && { dryRun: true }),
      ...(span !== undefined && { span }),
      ...(execution !== undefined && { execution }),
    };
  }

  /** A dry run of this request, within its time and with its credentials, which makes no call. */
  dryRun(onCall: (call: UpstreamCall) => void): GatewayRequest {
    const own = { deadlineMs: this.remainingMs(), recordCalls: false, dryRun: onCall, span: null };
    const dry = new GatewayRequest({ ...this.#options, ...own });
    this.onCutoff(() => dry.cancel());
    return dry;
  }

  /**
   * Call it when the client disconnected: nothing more is sent for it, and what still runs is cancelled, in turns: of a
   * thousand requests that are abandoned together, each has work to end.
   */
  cancel(): void {
    this.#endsAtMs = 0;
    void inTurn(() => this.#stop(new CodedError('DEADLINE_EXCEEDED', 'The client disconnected.')), this.callerId);
  }

  /** Call it when the response is complete: stops the deadline timer. */
  finish(): void {
    clearTimeout(this.#timer);
  }

  #abort(reason: CodedError): void {
    this.#abortedBy ??= reason;
    this.#controller?.abort(reason);
  }

  #stop(reason: CodedError): void {
    this.#abort(reason);
    this.#cutOffBy = reason;
    for (const listener of this.#listeners) listener(reason);
  }
}

/** The error for everything that the deadline cuts off. */
export function deadlineExceeded(): CodedError {
  return new CodedError('DEADLINE_EXCEEDED', 'The deadline of the request was exceeded.');
}

/** Settles like `work`, or rejects with the reason for the cut-off if the request is cut off first. */
export function settleInTime<T>(work: PromiseLike<T>, request: Pick<GatewayRequest, 'onCutoff'>): Promise<T> {
  return new Promise((resolve, reject) => {
    const end = request.onCutoff(reject);
    work.then(resolve, reject).then(end);
  });
}

/** The error for a response that would be too large, before or while it is made: `why`, and what to do about it. */
export function responseTooLarge(why: string): CodedError {
  return new CodedError('ANSWER_TOO_LARGE', `${why} Request fewer items with \`first\`, or fewer fields.`);
}

/** The keys and tokens that a caller sent, by service; null if none. */
export type CallerCredentials = Readonly<Record<ServiceName, Credential | null>>;

/** Reads the caller's credentials from the request headers. */
export function readCredentials(headers: RequestHeaders, mint: MintCredential): CallerCredentials {
  return fromEachService((service) => readCredential(service, headers, mint));
}

/** Calls listed in a trace, as many as a table can usefully show; later ones are only counted. */
const MAX_LISTED_CALLS = 500;

/** The upstream calls made for one request. */
class RequestRecorder implements CallRecorder {
  readonly calls: UpstreamCall[] = [];
  /** What was read without a call. */
  readonly stored: StoredData[] = [];
  /** Calls that were made, but are not listed. */
  callsOmitted = 0;
  /** How many calls were needed, whether or not each had to be made. */
  callsNeeded = 0;
  /** The most serious staleness of any value served; null if all are fresh. */
  stale: Staleness | null = null;
  /** Whether what was served stays valid while its calls are fresh, or for a while if there are none. */
  isCacheable = true;
  /** The services that were needed, whether or not each call had to be made. */
  readonly services = new Set<ServiceName>();
  /** The services that were called with the caller's own key. */
  readonly tookKeyOf = new Set<ServiceName>();
  /** What is executed: the query plan, or the fields that may make calls; null unless it is told. */
  plan: PlanNode | null = null;
  /** When the plan was ready, in milliseconds since the request started; 0 where nothing is planned. */
  planMs = 0;
  readonly elapsedMs: () => number;
  readonly #lists: GatewayRequestOptions['recordCalls'];
  readonly #onCall: ((call: UpstreamCall) => void) | undefined;
  readonly #totals = { callsMade: 0, savedByCache: 0, savedBySharing: 0 };
  #freshUntilMs = Number.POSITIVE_INFINITY;

  /** Counts every call, and lists them if `lists`; hands those of a dry run to `onCall`, and counts none. */
  constructor(elapsedMs: () => number, lists: boolean | 'all', onCall?: (call: UpstreamCall) => void) {
    this.elapsedMs = elapsedMs;
    this.#lists = lists;
    this.#onCall = onCall;
  }

  record(call: UpstreamCall): void {
    if (this.#onCall !== undefined) {
      this.#onCall(call);
      return;
    }
    this.callsNeeded += 1;
    this.services.add(call.service);
    if (call.tookOwnKey === true) this.tookKeyOf.add(call.service);
    if (call.stale !== undefined) this.stale = worseStaleness(this.stale, call.stale);
    if (call.freshMs === undefined) this.isCacheable = false;
    else this.#freshUntilMs = Math.min(this.#freshUntilMs, Date.now() + call.freshMs);
    this.#totals.callsMade += call.sent ?? 0;
    if (call.cache === 'HIT' || call.cache === 'STALE') this.#totals.savedByCache += 1;
    if (call.cache === 'COALESCED') this.#totals.savedBySharing += 1;
    if (this.#lists === false) return;
    if (this.#lists === 'all' || this.calls.length < MAX_LISTED_CALLS) this.calls.push(call);
    else this.callsOmitted += 1;
  }

  readStored(data: StoredData): void {
    if (this.stored.some(({ service, asOf }) => service === data.service && asOf === data.asOf)) return;
    this.stored.push(data);
    this.services.add(data.service);
  }

  forbidCaching(): void {
    this.isCacheable = false;
  }

  /** Until when everything that was served stays fresh, in milliseconds since 1970; null if it may not be cached. */
  freshUntilMs(): number | null {
    // A response that needed no call has no expiry of its own.
    return this.isCacheable && Number.isFinite(this.#freshUntilMs) ? this.#freshUntilMs : null;
  }

  /** When the oldest of what was read without a call was sent, in milliseconds since 1970; null if nothing was. */
  storedMs(): number | null {
    return this.stored.length === 0 ? null : Math.min(...this.stored.map(({ asOf }) => instantOf(asOf)));
  }

  totals(): Trace['totals'] {
    return { ...this.#totals };
  }

  /** What `extensions.passerelle` shows of the request so far. */
  trace(requestId: string, sources: readonly TracedSource[]): Trace {
    const { plan, planMs, calls, stored, callsOmitted } = this;
    const totalMs = this.elapsedMs();
    const executeMs = plan === null ? 0 : totalMs - planMs;
    return {
      requestId,
      timings: { planMs: round(planMs), executeMs: round(executeMs), totalMs: round(totalMs) },
      plan,
      calls: calls.map((call) => ({ ...call, startMs: round(call.startMs), ms: round(call.ms) })),
      ...(stored.length > 0 && { stored }),
      callsOmitted,
      totals: this.totals(),
      sources: sources.map((source) => ({ ...source, ...quotaOf(source, calls) })),
    };
  }
}

/** Most serious first: a value that is merely being revalidated is nearly fresh. */
const BY_SEVERITY: readonly StaleReason[] = ['OUTAGE', 'QUOTA', 'SLOW', 'REVALIDATING'];

/**
 * The `Cache-Status` header (RFC 9211) of a response made from stale data: `ttl` is its age beyond freshness in
 * negative seconds, `detail` the reason why it was served.
 */
export function cacheStatus({ reason, staleSeconds }: Staleness): string {
  return `passerelle; hit; ttl=${-staleSeconds}; detail=${reason}`;
}

/** The more serious of two, or the older if equally serious: a response has one `Cache-Status`. */
export function worseStaleness(one: Staleness | null, other: Staleness): Staleness {
  if (one === null) return other;
  const bySeverity = BY_SEVERITY.indexOf(one.reason) - BY_SEVERITY.indexOf(other.reason);
  if (bySeverity !== 0) return bySeverity < 0 ? one : other;
  return one.staleSeconds >= other.staleSeconds ? one : other;
}

/**
 * The context that Apollo passes from the endpoint to the sources. Apollo copies it with `Object.assign`, so it holds
 * references and no getters.
 */
export interface GatewayContext {
  readonly gatewayRequest: GatewayRequest;
  /** Whether the plan is told. */
  readonly traced: boolean;
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
  /** Receives the operation before it is executed. Absent if nobody needs it. */
  readonly resolved?: (operation: ResolvedOperation) => void;
}

/** An operation of a validated document, on the API schema. */
export interface ValidOperation {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
}

/** The same with the values of its variables, as resolvers get them. */
export interface ResolvedOperation extends ValidOperation {
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The document of an operation alone, with the fragments that it spreads. */
export function documentOf({ document, operation }: ValidOperation): DocumentNode {
  return separateOperations(document)[operation.name?.value ?? ''] ?? document;
}

/** The context that the endpoint created, from Apollo's untyped record. */
export function contextOf(context: Record<string, unknown>): GatewayContext {
  // The endpoint creates each operation's context; Apollo Server only passes it on.
  return context as unknown as GatewayContext;
}

/** What is left of one quota of a source. */
export interface SourceQuota extends ScopeQuota {
  readonly service: string;
}

/** What runs the query for quotas. */
interface QuotaServer {
  run(method: 'POST', parameters: typeof PARAMETERS, context: GatewayContext): Promise<{ readonly data?: unknown }>;
}

const PARAMETERS = {
  query: '{ sources { name quotas { scope limit remaining resetSeconds } } }',
  operationName: undefined,
  variables: undefined,
  extensions: undefined,
};

/** What is left of each quota for the caller of a request; empty for a graph without sources. Makes no call. */
export async function quotasLeft(server: QuotaServer, gatewayRequest: GatewayRequest): Promise<SourceQuota[]> {
  const dry = gatewayRequest.dryRun(() => {});
  const context = { gatewayRequest: dry, traced: false, omissions: createOmissions() };
  const { data } = await server.run('POST', PARAMETERS, context);
  dry.finish();
  const sources = isRecord(data) ? data['sources'] : null;
  return records(sources).flatMap(({ name, quotas }) =>
    records(quotas).map(({ scope, limit, remaining, resetSeconds }) => ({
      service: String(name),
      scope: String(scope ?? ''),
      limit: Number(limit ?? 0),
      remaining: Number(remaining ?? 0),
      resetSeconds: Number(resetSeconds ?? 0),
    })),
  );
}

function records(value: unknown): readonly Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** Who may request a trace (`TRACE`): everyone, nobody, or callers with the secret. */
export type TracePolicy = 'on' | 'off' | Secret;

/** Whether the caller requests a trace and may get one. `header` is their `x-passerelle-trace`. */
export function mayTrace(policy: TracePolicy, header: string | undefined): boolean {
  if (policy === 'off' || header === undefined) return false;
  return policy === 'on' ? header === '1' : equalInConstantTime(header, policy.reveal());
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

/** What is told of an operation wherever it is answered. */
export interface OperationFacts {
  /** The name in its document; undefined if it has none. */
  readonly name: string | undefined;
  readonly type: `${OperationDefinitionNode['operation']}`;
  /** What it uses that is deprecated, as the header says it; null if nothing. */
  readonly deprecations: string | null;
}

const known = new WeakMap<OperationDefinitionNode, OperationFacts>();

/** The facts of an operation, read once per parse of its document. */
export function factsOf(of: ValidOperation): OperationFacts {
  const { name, operation: type } = of.operation;
  const facts = known.get(of.operation) ?? { name: name?.value, type, deprecations: deprecationsOf(of) };
  known.set(of.operation, facts);
  return facts;
}

/** Elements that one header names. */
const MAX_NAMED = 20;

/** Schema coordinates of deprecated elements in the text of an operation, separated by commas; variables are not read. */
function deprecationsOf(of: ValidOperation): string | null {
  const coordinates = new Set<string>();
  const types = new TypeInfo(of.schema);
  const note = (element: Maybe<{ readonly deprecationReason?: Maybe<string> }>, coordinate: () => string) => {
    if (element?.deprecationReason != null) coordinates.add(coordinate());
  };
  const field = () => `${types.getParentType()?.name}.${types.getFieldDef()?.name}`;
  const notes = visitWithTypeInfo(types, {
    Field: () => note(types.getFieldDef(), field),
    Argument: ({ name }) => note(types.getArgument(), () => `${field()}(${name.value}:)`),
    EnumValue: ({ value }) => note(types.getEnumValue(), () => `${getNamedType(types.getInputType())?.name}.${value}`),
    ObjectField({ name }) {
      const parent = getNamedType(types.getParentInputType());
      if (isInputObjectType(parent)) note(parent.getFields()[name.value], () => `${parent.name}.${name.value}`);
    },
  });
  for (const definition of new Set([of.operation, ...documentOf(of).definitions])) visit(definition, notes);
  const named = [...coordinates].slice(0, MAX_NAMED);
  return coordinates.size === 0 ? null : [...named, ...(coordinates.size > MAX_NAMED ? ['more'] : [])].join(', ');
}

type Maybe<T> = T | null | undefined;
