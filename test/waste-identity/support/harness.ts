import { execute, parse } from 'graphql';
import { startWaste, wasteClient } from '../../../sandbox/waste/index.js';
import type { World } from '../../../sandbox/world/types.js';
import type { Credential } from '../../../schema/operation.js';
import { createUpstream } from '../../../subgraphs/rest/create-upstream.js';
import { createSystemPorts } from '../../../subgraphs/rest/system-ports.js';
import { wasteIdentityDialect } from '../../../subgraphs/waste-identity/dialect.js';
import { createWasteIdentitySubgraph } from '../../../subgraphs/waste-identity/index.js';

export interface GraphqlResult {
  // biome-ignore lint/suspicious/noExplicitAny: answers have as many shapes as tests have queries.
  readonly data: any;
  /** Code and path of each error: `RECONNECT_REQUIRED viewer`. */
  readonly errors: readonly string[];
  readonly messages: readonly string[];
}

export interface SendOptions {
  /** The caller's token; nobody's when it is null. */
  readonly token?: string | null;
  readonly variables?: Record<string, unknown>;
  /** Whether the gateway itself asks. */
  readonly internal?: boolean;
}

export type Harness = Awaited<ReturnType<typeof startHarness>>;

/** The subgraph over the real toolkit over real HTTP to the sandbox's platform. */
export async function startHarness(world: World, { canLogIn = true } = {}) {
  const service = await startWaste({ world });
  /** Whatever the toolkit would log of failed calls. */
  const logged: string[] = [];
  const open = () => {
    const upstream = createUpstream(
      {
        service: 'waste-identity',
        baseUrl: service.url,
        mode: 'sandbox',
        operatorKey: credentialOf(`${wasteClient.id}:${wasteClient.secret}`),
        dialect: wasteIdentityDialect,
        onCall: (row, error) => logged.push(JSON.stringify({ row, message: error?.message, cause: error?.cause })),
        onDrift: () => {},
      },
      createSystemPorts({ shared: null, perKey: null, redis: null }),
    );
    const authorization = { authUrl: service.authUrl, clientId: wasteClient.id };
    return createWasteIdentitySubgraph({ upstream, ...(canLogIn && { authorization }) });
  };
  let subgraph = open();
  return {
    service,
    get subgraph() {
      return subgraph;
    },
    logged,
    /** A new start: nothing is known any more of quotas that were spent and calls that failed. */
    async restart() {
      await subgraph.close();
      subgraph = open();
    },
    async send(
      source: string,
      { token = null, variables = {}, internal = false }: SendOptions = {},
    ): Promise<GraphqlResult> {
      const { data, errors = [] } = await execute({
        schema: subgraph.schema,
        document: parse(source),
        variableValues: variables,
        contextValue: subgraph.contextFor({
          requestId: 'test',
          request: {},
          deadline: { remainingMs: () => 20_000 },
          signal: new AbortController().signal,
          credential: token === null ? null : credentialOf(token),
          internal,
          planNode: '',
          recorder: { elapsedMs: () => 0, record: () => {} },
        }),
      });
      return {
        data,
        errors: errors.map(({ extensions, path = [] }) => `${extensions['code']} ${path.join('.')}`),
        messages: errors.map(({ message }) => message),
      };
    },
    close: async () => {
      await subgraph.close();
      await service.close();
    },
  };
}

function credentialOf(secret: string): Credential {
  return { fingerprint: `fingerprint of ${secret.slice(0, 4)}`, reveal: () => secret };
}
