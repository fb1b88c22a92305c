import type { GraphQLFormattedError } from 'graphql';
import { Agent, type Dispatcher, errors, request as send } from 'undici';
import { z } from 'zod';
import { oncePerSecond } from '../../kernel/caches.js';
import { CodedError, type ErrorCode } from '../../kernel/errors.js';
import { type Log, traceHeaders } from '../../kernel/log.js';
import type { OperationContext } from '../../kernel/operation.js';
import { SERVICE_ENTRIES, SERVICES, type ServiceName, type UpstreamMode } from '../../kernel/services.js';
import {
  NO_FIGURES,
  SOURCE_FIGURES,
  SOURCE_STATUS,
  type SourceFigures,
  type SourceStatus,
} from '../../kernel/source-figures.js';
import { isRecord, parseShallowJson } from '../../kernel/text.js';
import { STORED_DATA, sentWeight, UPSTREAM_CALL } from '../../kernel/trace.js';
import { VERSION } from '../../runtime/configuration/role.js';
import { credentialHeader, refusesToken, tokenHeader } from '../../runtime/credentials/credentials.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { INTERNAL_MESSAGE } from '../../runtime/errors.js';
import { readJson } from '../../runtime/event-loop/json.js';
import { HEADER_LENGTHS } from '../../runtime/http/request-headers.js';
import { speaksHttp } from '../../runtime/http/tls.js';
import type { SubgraphRequest, SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { createCallerQueue } from '../limits/caller-queue.js';
import { MAX_FIELDS } from '../limits/operation-limits.js';
import { deadlineExceeded, type GatewayRequest, responseTooLarge } from '../request/request.js';

/** The status of a source; its mode is unknown until its subgraph has been reached once. */
export type RemoteStatus = Omit<SourceStatus, 'upstream'> & { readonly upstream: UpstreamMode | 'unknown' };

/** Figures of a source, as they were at a time of this process. */
interface Figures {
  readonly figures: SourceFigures;
  readonly atMs: number;
}

/** How to reach a subgraph. */
export interface SubgraphAddress {
  readonly service: ServiceName;
  /** Its GraphQL endpoint. */
  readonly url: string;
  /** Shared with the subgraph; null if none is configured. */
  readonly token: Secret | null;
}

/** Connections to one subgraph, which itself makes callers take turns: enough for all that it lets wait of several. */
const CONNECTIONS = 512;

/** Enough for 500 recorded calls and 1,000 errors. */
const MIN_BYTES = 4 * 1024 * 1024;

/** Subgraph responses are larger than what clients see: they have keys, type names, errors and recorded calls. */
export const RESPONSE_FACTOR = 2;

/** A subgraph of ours in another process. */
export type HttpSubgraph = ReturnType<typeof createHttpSubgraph>;

/**
 * Connects to a subgraph of ours in another process. `maxResponseBytes` limits one response to a client, in bytes of JSON. The
 * library's own data source for HTTP can neither be cut off nor limited.
 */
export function createHttpSubgraph(
  address: SubgraphAddress,
  { maxResponseBytes, log }: { readonly maxResponseBytes: number; readonly log: Log },
) {
  const { service, url } = address;
  const state = createState(address, log);
  // Requests have deadlines; undici's default timeouts only end what hangs.
  const dispatcher = new Agent({
    connections: CONNECTIONS,
    connect: { timeout: 3_000 },
    maxResponseSize: Math.max(MIN_BYTES, RESPONSE_FACTOR * maxResponseBytes),
  });
  // In the pool's own queue, which is first in, first out, nothing could be aborted.
  const queue = createCallerQueue({ name: 'operations', ofCaller: 128, ofAll: CONNECTIONS, waiting: 1_000 });

  async function execute(request: SubgraphRequest, operation: OperationContext, gatewayRequest: GatewayRequest) {
    const { query, variables } = request;
    /** Without a response, a mutation that was sent may have been done, whatever happened to that. */
    const noResponse = (message: string, cause: Error, code: ErrorCode = 'UPSTREAM_UNAVAILABLE') => {
      const isInDoubt = /^\s*mutation\b/.test(query) && !NOT_SENT.test(String('code' in cause && cause.code));
      const doubt = `The subgraph ${service} did not confirm this write, which may have been done: check before you repeat it.`;
      return new CodedError(code, isInDoubt ? doubt : message, { service, cause });
    };
    const leave = await queue.enter(gatewayRequest);
    const startMs = gatewayRequest.recorder.elapsedMs();
    const abort = new AbortController();
    const end = gatewayRequest.onCutoff((reason) => abort.abort(reason));
    try {
      if (gatewayRequest.remainingMs() <= 0) throw deadlineExceeded();
      const headers = headersOf(operation, gatewayRequest, address);
      const body = JSON.stringify({ query, variables: variables ?? {} });
      const received = await send(url, { method: 'POST', headers, body, dispatcher, signal: abort.signal });
      state.update(received.headers);
      const answer = await readResponse(received, address);
      const status = `${service} responded with status ${received.statusCode}.`;
      if (answer === undefined)
        throw noResponse(`The subgraph ${service} did not respond with GraphQL.`, new Error(status));
      const { calls, ...response } = answer;
      recordCalls(calls, gatewayRequest, startMs, operation.planNode);
      return checkCount(service, request, response);
    } catch (error) {
      if (error instanceof errors.ResponseExceededMaxSizeError)
        throw responseTooLarge(`The response of the subgraph ${service} is too large.`);
      if (error instanceof CodedError && error.code !== 'DEADLINE_EXCEEDED') throw error;
      if (error instanceof CodedError) throw noResponse(error.message, error, error.code);
      state.markUnreachable();
      // Whatever undici rejects with is an error.
      throw noResponse(`The subgraph ${service} cannot be reached.`, error as Error);
    } finally {
      end();
      leave();
    }
  }

  return {
    ...state,
    /**
     * Executes with the caller's credential for this service and no other, in the time that its request has left, and
     * records the calls that the subgraph made, and the state that its response tells. Throws a CodedError that says why
     * it failed.
     */
    execute,
    close: () => Promise.all([dispatcher.close(), state.close()]),
  };
}

function recordCalls(told: Answer['calls'], request: GatewayRequest, startMs: number, planNode: string): void {
  const { passerelleCalls: calls, passerelleStored: stored, passerelleUncacheable } = told;
  const { recorder, allowance } = request;
  if (passerelleUncacheable !== undefined) recorder.forbidCaching();
  for (const data of stored) if (data !== null) recorder.readStored(data);
  for (const call of calls) {
    allowance?.spend(sentWeight(call));
    if ('service' in call) recorder.record({ ...call, startMs: startMs + call.startMs, planNode });
    // What does not list all of its calls may be read anew at any time.
    else recorder.forbidCaching();
  }
}

function headersOf(
  { credential, dryRun, planNode, span }: OperationContext,
  { id, callerId, allowance, remainingMs }: GatewayRequest,
  { service, token }: SubgraphAddress,
): Readonly<Record<string, string>> {
  return {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-request-id': id,
    'x-passerelle-deadline-ms': String(Math.floor(remainingMs())),
    // It has the client's aliases, of any length; the calls that come back get the whole.
    'x-passerelle-fetch': planNode.slice(0, HEADER_LENGTHS['x-passerelle-fetch']),
    ...(allowance !== null && { 'x-passerelle-calls-left': String(allowance.left()) }),
    ...(dryRun === true && { 'x-passerelle-dry-run': '1' }),
    ...(span !== undefined && traceHeaders(span)),
    ...(token !== null && { 'x-passerelle-caller': callerId }),
    ...tokenHeader(token),
    ...(credential !== null && credentialHeader(service, credential)),
  };
}

/** What is missing or malformed, as from another version, is none. */
const ifReadable = <T>(type: z.ZodType<T>) => type.optional().catch(undefined);

/** Only what callers may see: message, path, and the documented extensions. To zod, what is left out is undefined. */
const PATH = ifReadable(z.array(z.union([z.string(), z.number()])));
const DETAILS = z.object({
  code: z.unknown().optional(),
  service: ifReadable(z.enum(SERVICES)),
  argument: PATH,
  retryAfterSeconds: ifReadable(z.number().nonnegative()),
});
const ERROR = z.object({
  message: z.string().catch(INTERNAL_MESSAGE),
  path: PATH,
  extensions: ifReadable(DETAILS),
}) as z.ZodType<unknown> as z.ZodType<GraphQLFormattedError>;

/** Of a call that another version tells in other words, it is known that it was made. */
const SENT = UPSTREAM_CALL.pick({ sent: true, weight: true }).catch({ sent: 1 });

const EXTENSIONS = z.object({
  passerelleCalls: z.array(z.union([UPSTREAM_CALL, SENT])).catch([{}]),
  passerelleStored: z.array(STORED_DATA.nullable().catch(null)).catch([]),
  passerelleUncacheable: z.unknown().optional(),
  errorsOmitted: z.int().positive().catch(0),
  passerelleOmittedPlaces: z.array(z.array(z.string())).catch([]),
});

const ANSWER = z
  .object({
    data: z.custom<Record<string, unknown>>(isRecord).nullish(),
    errors: z.array(ERROR).nullish(),
    extensions: z.preprocess((value) => (isRecord(value) ? value : {}), EXTENSIONS),
  })
  // Next to data, some servers list errors even if there are none.
  .refine(({ data, errors }) => errors?.length || (data === null ? errors === undefined : data))
  .transform(({ data, errors, extensions: { errorsOmitted: count, passerelleOmittedPlaces, ...calls } }) => {
    const omitted = count === 0 ? undefined : { count, places: passerelleOmittedPlaces.slice(0, MAX_FIELDS) };
    return { data, errors: errors?.length ? errors : undefined, omitted, calls };
  });

type Answer = z.infer<typeof ANSWER>;

/** Undefined for what is no response of GraphQL. */
async function readResponse(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { service, token }: SubgraphAddress,
): Promise<Answer | undefined> {
  const json = Buffer.from(await body.arrayBuffer());
  const refused = `The subgraph ${service} refuses the token of the gateway.`;
  if (refusesToken({ statusCode, headers }, token)) throw new CodedError('UPSTREAM_UNAVAILABLE', refused, { service });
  // 401 is about the token, whether the gateway has one or not.
  return ANSWER.safeParse(statusCode === 401 ? null : await readJson(json)).data;
}

/** What callers learn of entities that cannot be used. */
export const NO_ENTITIES = 'A subgraph did not respond with the requested entities.';

/** Throws if there are not as many entities as representations were sent, unless the subgraph itself reports why. */
function checkCount(name: string, { variables }: SubgraphRequest, response: SubgraphResponse): SubgraphResponse {
  const sent = variables?.['representations'];
  const entities = response.data?.['_entities'];
  if (!Array.isArray(sent) || (Array.isArray(entities) && entities.length === sent.length)) return response;
  if (response.errors !== undefined) return { ...response, data: null };
  const count = Array.isArray(entities) ? entities.length : 'no list of';
  const cause = new Error(`${name} responded with ${count} entities to ${sent.length} representations.`);
  throw new CodedError('UPSTREAM_INVALID_RESPONSE', NO_ENTITIES, { cause });
}

/** Codes of connections that were never made: nothing has left this process. */
const NOT_SENT = /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|UND_ERR_CONNECT_TIMEOUT)$/;

/**
 * How long readiness waits for a subgraph before it counts as unreachable: less than the second that balancers wait for
 * readiness, or one subgraph that hangs would take every gateway out of service.
 */
export const PROBE_MS = 700;

/** A probe that ends this much later than it should tells of a busy gateway, and nothing of the subgraph. */
const BUSY_MS = 100;

/** A subgraph reports some kilobytes about itself. */
const MAX_REPORT_BYTES = 1024 * 1024;

/** The detail of a source whose subgraph is out of reach. */
const UNREACHABLE = 'its subgraph cannot be reached';
const REFUSED = 'its subgraph refuses the token of the gateway';

/**
 * Tracks the state of the source behind a subgraph in another process, by its responses and by probes of its `/readyz`,
 * which also show whether it accepts the token and whether it is the right one. What an operator has to mend is logged once.
 */
function createState(address: SubgraphAddress, log: Log) {
  const { service } = address;
  // Whatever operations do to their connections, a probe is sent at once.
  const pool = new Agent({ connections: 2, connect: { timeout: PROBE_MS }, maxResponseSize: MAX_REPORT_BYTES });
  let known: RemoteStatus = { state: 'DOWN', upstream: 'unknown', detail: UNREACHABLE };
  /** Null while it is not known that the subgraph is well. */
  let reported: Figures | null = null;
  /** Whether the address was seen to lead to this subgraph. */
  let isRight = false;

  const findFigures = oncePerSecond(async (): Promise<Figures> => {
    const found = await examine(address, pool, reported === null);
    if (typeof found === 'string') {
      const remedy = `the subgraph ${service} refuses this gateway: give both the same SUBGRAPH_TOKEN`;
      if (found !== UNREACHABLE && known.detail !== found) log.error({ service }, found === REFUSED ? remedy : found);
      reported = null;
      isRight &&= found === UNREACHABLE;
      known = { state: 'DOWN', upstream: known.upstream, detail: found };
    } else if (found !== null) {
      isRight = true;
      known = found.status;
      reported = { figures: found.figures, atMs: performance.now() };
    }
    return reported ?? { figures: NO_FIGURES, atMs: performance.now() };
  });

  /** The last known status. If it is old, a probe is sent, for whoever asks next. */
  function status(): RemoteStatus {
    void findFigures();
    return known;
  }

  return {
    status,
    upstream: () => status().upstream,
    /** Probes the subgraph, which also updates its status. Never rejects. */
    findFigures,
    /** Takes the state that a response to an operation tells, if it is known to come from this subgraph. */
    update({ 'x-passerelle-state': told }: Dispatcher.ResponseData['headers']) {
      const { data: state } = SOURCE_STATUS.shape.state.safeParse(told);
      if (state === undefined || !isRight || state === known.state) return;
      known = { state, upstream: known.upstream };
    },
    /** Records that an operation did not reach it. Nobody is reached at a wrong address; that it is wrong says more. */
    markUnreachable() {
      if (isRight) known = { state: 'DOWN', upstream: known.upstream, detail: UNREACHABLE };
    },
    close: () => pool.destroy(),
  };
}

/**
 * What the subgraph says of itself at `/readyz`, or why it is DOWN; null if this process was too busy to tell. An endpoint
 * that is new is also tried: `/readyz` is beside it, and would be found without it. Never rejects.
 */
async function examine({ service, url, token }: SubgraphAddress, dispatcher: Dispatcher, isNew: boolean) {
  const { addressVariable } = SERVICE_ENTRIES[service];
  const startedMs = performance.now();
  const options = { dispatcher, signal: AbortSignal.timeout(PROBE_MS), headers: tokenHeader(token) };
  try {
    const answered = await send(new URL('readyz', url), options);
    const report = REPORT.safeParse(parseShallowJson(await answered.body.text())).data;
    if (refusesToken(answered, token)) return REFUSED;
    if (report === undefined)
      return answered.statusCode >= 500 ? UNREACHABLE : `${addressVariable} is not the address of a subgraph`;
    if (report.name !== service)
      return `${addressVariable} is the address of another subgraph: ${report.name ?? 'an unknown one'}`;
    if (!isNew) return report;
    // An endpoint refuses this as such, with 400, and executes nothing.
    const headers = { ...options.headers, 'content-type': 'application/json' };
    const tried = await send(url, { ...options, method: 'POST', headers, body: '{}' });
    await tried.body.dump();
    const isThere = tried.statusCode !== 404 && tried.statusCode !== 405;
    return isThere ? report : `${addressVariable} is not the GraphQL endpoint, which ends with /graphql`;
  } catch (error) {
    if (speaksHttp(error)) return `${addressVariable} begins with https:, but what answers there speaks http`;
    return performance.now() - startedMs > PROBE_MS + BUSY_MS ? null : UNREACHABLE;
  }
}

/** What a subgraph reports at `/readyz`; a gateway reports several sources. */
const REPORT = z
  .object({
    version: ifReadable(z.string().regex(/^[\w.+-]{1,40}$/)),
    sources: z.tuple([
      SOURCE_STATUS.extend({
        ...SOURCE_FIGURES.shape,
        name: z.enum(SERVICES).nullable().catch(null),
        detail: ifReadable(z.string()),
      }),
    ]),
  })
  .transform(({ version, sources: [{ name, state, upstream, detail, ...figures }] }) => {
    // Another version, as in the middle of a rollout, is a detail of any state. The earliest do not say theirs.
    const named = version === undefined ? 'another version' : `version ${version}`;
    const skew = version === VERSION ? '' : `its subgraph has ${named}, this gateway version ${VERSION}`;
    const details = [detail, skew].filter(Boolean).join('; ');
    const status: RemoteStatus = { state, upstream, ...(details !== '' && { detail: details }) };
    return { name, status, figures };
  });
