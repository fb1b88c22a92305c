import { errors, request as send } from 'undici';
import { credentialHeader } from '../../runtime/credentials/credential-headers.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import type { SubgraphAnswer, SubgraphRequest } from '../../runtime/subgraph-host/subgraph-execution.js';
import { CodedError } from '../../schema/errors.js';
import type { ServiceName } from '../../schema/services.js';
import type { GatewayRequest } from '../request/request.js';
import { type ReadAnswer, readForeignAnswer, readOwnAnswer } from './http-answer.js';
import type { Pool } from './http-pool.js';
import type { RemoteState } from './http-state.js';
import type { AskSubgraph } from './source.js';

export interface HttpSubgraphOptions {
  readonly service: ServiceName;
  /** Where the subgraph answers GraphQL. */
  readonly url: string;
  /** Shared with the subgraph; null where none is configured. */
  readonly token: Secret | null;
  /** The one pool of connections that all subgraphs share. */
  readonly dispatcher: Pool;
  /** Learns from every answer, and from none. */
  readonly state: RemoteState;
}

/** Queries one of our subgraphs over HTTP, with the caller's credential for this service and no other. */
export function askOverHttp(options: HttpSubgraphOptions): AskSubgraph {
  const { service, url, token, dispatcher, state } = options;
  return async (request, caller, planNode) => {
    const { credential } = caller.operationOf(service, planNode);
    const startMs = caller.ledger.elapsedMs();
    const headers = {
      'x-request-id': caller.id,
      'x-passerelle-deadline-ms': String(Math.floor(caller.remainingMs())),
      'x-passerelle-fetch': planNode,
      ...(token !== null && { 'x-passerelle-subgraph-token': token.reveal() }),
      ...(credential !== null && credentialHeader(service, credential)),
    };
    const call = { name: service, service, url, dispatcher, headers, state };
    const { answer, calls } = await post(call, request, caller, readOwnAnswer);
    for (const row of calls) caller.ledger.record({ ...row, startMs: startMs + row.startMs, planNode });
    return answer;
  };
}

/** Queries a subgraph of a foreign supergraph (`SUPERGRAPH`), which learns nothing about the caller. */
export function askForeign(name: string, url: string, dispatcher: Pool): AskSubgraph {
  return async (request, caller) => {
    const { answer } = await post({ name, url, dispatcher, headers: {} }, request, caller, readForeignAnswer);
    return answer;
  };
}

interface Call {
  readonly name: string;
  readonly service?: ServiceName;
  readonly url: string;
  readonly dispatcher: Pool;
  readonly headers: Readonly<Record<string, string>>;
  readonly state?: RemoteState;
}

async function post<A extends { answer: SubgraphAnswer }>(
  call: Call,
  request: SubgraphRequest,
  caller: GatewayRequest,
  read: ReadAnswer<A>,
): Promise<A> {
  const { name, service } = call;
  let status: number;
  let text: string;
  const abort = new AbortController();
  const end = caller.onCutoff((reason) => abort.abort(reason));
  try {
    const response = await send(call.url, {
      method: 'POST',
      dispatcher: call.dispatcher,
      headers: { ...call.headers, 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(request),
      signal: abort.signal,
    });
    status = response.statusCode;
    text = await response.body.text();
    call.state?.heard(response.headers);
  } catch (error) {
    throw translate(error, call);
  } finally {
    end();
  }
  const answer = read(text);
  if (answer !== null && status !== 401) return answer;
  throw new CodedError('UPSTREAM_UNAVAILABLE', `The subgraph ${name} did not answer with GraphQL.`, {
    service,
    cause: new Error(`${name} answered with status ${status}.`),
  });
}

function translate(error: unknown, { name, service, state }: Call): CodedError {
  // The reason of the caller's own signal: the time is over, or the client is gone.
  if (error instanceof CodedError) return error;
  if (error instanceof errors.ResponseExceededMaxSizeError) {
    return new CodedError('ANSWER_TOO_LARGE', `The response of the subgraph ${name} is too large.`, { service });
  }
  state?.lost();
  if (error instanceof errors.HeadersTimeoutError || error instanceof errors.BodyTimeoutError) {
    return new CodedError('UPSTREAM_TIMEOUT', `The subgraph ${name} took too long.`, { service, cause: error });
  }
  return new CodedError('UPSTREAM_UNAVAILABLE', `The subgraph ${name} cannot be reached.`, { service, cause: error });
}
