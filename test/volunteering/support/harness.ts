import { type DocumentNode, execute, parse } from 'graphql';
import { startVolunteering, volunteeringKeys } from '../../../sandbox/volunteering/index.js';
import type { World } from '../../../sandbox/world/types.js';
import type { Credential, OperationContext, Subgraph } from '../../../schema/operation.js';
import { createUpstream } from '../../../subgraphs/rest/create-upstream.js';
import { createSystemPorts } from '../../../subgraphs/rest/system-ports.js';
import { volunteeringDialect } from '../../../subgraphs/volunteering/dialect.js';
import { createVolunteeringSubgraph } from '../../../subgraphs/volunteering/index.js';

/** Data of an answer, read as tests read it: any path, undefined where there is nothing. */
// biome-ignore lint/suspicious/noExplicitAny: answers have as many shapes as tests have queries.
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
  /** Identity of the gateway's request: operations that have it in common share loaders. */
  readonly request?: object;
}

/** The subgraph over the real toolkit over real HTTP to the sandbox. */
export async function startHarness(world: World) {
  const service = await startVolunteering({ world });
  const drifts: string[] = [];
  const upstream = createUpstream(
    {
      service: 'volunteering',
      baseUrl: service.url,
      mode: 'sandbox',
      operatorKey: keyOf(volunteeringKeys.operator),
      dialect: volunteeringDialect,
      onCall: () => {},
      onDrift: (_service, place) => drifts.push(place),
    },
    createSystemPorts({ shared: null, perKey: null, redis: null }),
  );
  const subgraph = createVolunteeringSubgraph({ upstream });
  return {
    service,
    subgraph,
    drifts,
    send: (source: string, options: SendOptions = {}) => send(subgraph, source, options),
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}

export function keyOf(secret: string): Credential {
  return { fingerprint: `fingerprint of ${secret.length} ${secret.slice(-9)}`, reveal: () => secret };
}

export function operationFor({ key = null, request = {} }: SendOptions): OperationContext {
  return {
    requestId: 'test',
    request,
    deadline: { remainingMs: () => 20_000 },
    signal: new AbortController().signal,
    credential: key,
    internal: false,
    planNode: '',
    recorder: { elapsedMs: () => 0, record: () => {} },
  };
}

async function send(subgraph: Subgraph, source: string, options: SendOptions): Promise<GraphqlResult> {
  const document: DocumentNode = parse(source);
  const { data, errors = [] } = await execute({
    schema: subgraph.schema,
    document,
    contextValue: subgraph.contextFor(operationFor(options)),
    variableValues: options.variables ?? {},
  });
  return {
    data,
    errors: errors.map(({ extensions, path = [] }) => `${extensions['code']} ${path.join('.')}`),
    messages: errors.map(({ message }) => message),
  };
}
