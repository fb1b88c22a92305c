import { setMaxListeners } from 'node:events';
import { execute, parse } from 'graphql';
import { type Credential, createCallAllowance, type OperationContext, type Subgraph } from '../kernel/operation.js';

/** Data of a response, read as tests read it: any path, undefined where there is nothing. */
// biome-ignore lint/suspicious/noExplicitAny: responses have as many shapes as tests have queries.
type Data = any;

export interface GraphqlResult {
  readonly data: Data;
  /** Code and path of each error: `BAD_USER_INPUT missions`. */
  readonly errors: readonly string[];
  readonly messages: readonly string[];
}

export interface SendOptions {
  readonly variables?: Record<string, unknown>;
  readonly key?: Credential | null;
  /** Identity of the gateway's request: operations with the same one share loaders. */
  readonly request?: object;
  /** Whether the gateway itself is the caller. */
  readonly internal?: boolean;
  /** How many calls it may make; without a limit if left out. */
  readonly calls?: number;
  /** Aborted when the caller leaves. */
  readonly signal?: AbortSignal;
  /** Told that no memory may keep the response. */
  readonly forbidCaching?: () => void;
}

export function keyOf(secret: string): Credential {
  return { fingerprint: `fingerprint of ${secret.length} ${secret.slice(-9)}`, reveal: () => secret };
}

/** An operation as the gateway passes it on. */
export function operationFor({
  key = null,
  request = {},
  internal = false,
  signal,
  calls,
  forbidCaching = () => {},
}: SendOptions): OperationContext {
  return {
    requestId: 'test',
    request,
    deadline: { remainingMs: () => 20_000 },
    signal: signal ?? signalOfRequest(),
    credential: key,
    internal,
    ...(calls !== undefined && { allowance: createCallAllowance(calls) }),
    planNode: '',
    recorder: { elapsedMs: () => 0, record() {}, readStored() {}, forbidCaching },
  };
}

/** As the gateway makes it: each call of the request listens to it. */
function signalOfRequest(): AbortSignal {
  const { signal } = new AbortController();
  setMaxListeners(0, signal);
  return signal;
}

/** Executes an operation on a subgraph of this process. */
export async function executeOn(subgraph: Subgraph, source: string, options: SendOptions): Promise<GraphqlResult> {
  const { data, errors = [] } = await execute({
    schema: subgraph.schema,
    document: parse(source),
    contextValue: subgraph.contextFor(operationFor(options)),
    variableValues: options.variables ?? {},
  });
  return {
    data,
    errors: errors.map(({ extensions, path = [] }) => `${extensions['code']} ${path.join('.')}`),
    messages: errors.map(({ message }) => message),
  };
}
