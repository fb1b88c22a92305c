import { execute, parse } from 'graphql';
import { startWaste } from '../../../sandbox/waste/index.js';
import type { World } from '../../../sandbox/world/types.js';
import type { Credential } from '../../../schema/operation.js';
import { createUpstream } from '../../../subgraphs/rest/create-upstream.js';
import { createSystemPorts } from '../../../subgraphs/rest/ports/system-ports.js';
import { wasteIdentityDialect } from '../../../subgraphs/waste-identity/dialect.js';
import { createWasteIdentitySubgraph } from '../../../subgraphs/waste-identity/index.js';

export interface Answered {
  // biome-ignore lint/suspicious/noExplicitAny: answers have as many shapes as tests have queries.
  readonly data: any;
  /** Code and path of each error: `RECONNECT_REQUIRED viewer`. */
  readonly errors: readonly string[];
  readonly messages: readonly string[];
}

export type Bench = Awaited<ReturnType<typeof startBench>>;

/** The subgraph over the real toolkit over real HTTP to the sandbox's platform. */
export async function startBench(world: World) {
  const service = await startWaste({ world });
  const upstream = createUpstream(
    {
      service: 'waste-identity',
      baseUrl: service.url,
      mode: 'sandbox',
      operatorKey: null,
      dialect: wasteIdentityDialect,
      onCall: () => {},
      onDrift: () => {},
    },
    createSystemPorts({ shared: null, perKey: null }),
  );
  const subgraph = createWasteIdentitySubgraph({ upstream });
  return {
    service,
    subgraph,
    /** Asks on behalf of whoever holds the token; nobody when it is null. */
    async ask(source: string, token: string | null): Promise<Answered> {
      const { data, errors = [] } = await execute({
        schema: subgraph.schema,
        document: parse(source),
        contextValue: subgraph.contextFor({
          requestId: 'test',
          request: {},
          deadline: { remainingMs: () => 20_000 },
          signal: new AbortController().signal,
          credential: token === null ? null : credentialOf(token),
          internal: false,
          planNode: '',
          ledger: { elapsedMs: () => 0, record: () => {} },
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

function credentialOf(token: string): Credential {
  return { fingerprint: `fingerprint of ${token.slice(0, 4)}`, reveal: () => token };
}
