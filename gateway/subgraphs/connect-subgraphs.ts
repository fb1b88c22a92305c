import type { Secret } from '../../runtime/credentials/secret.js';
import type { Log } from '../../schema/log.js';
import type { Subgraph } from '../../schema/operation.js';
import { SERVICES, type ServiceName } from '../../schema/services.js';
import type { SourceFigures } from '../../schema/source-figures.js';
import type { SupergraphMap } from '../graph/supergraph-map.js';
import { askForeign, askOverHttp } from './http.js';
import type { Pool } from './http-pool.js';
import { createRemoteState, type RemoteStatus } from './http-state.js';
import { askInProcess } from './in-process.js';
import { type AskSubgraph, createSource, type Source } from './source.js';

/** Where one of our subgraphs runs. */
export type SubgraphConnection =
  | { readonly kind: 'in-process'; readonly subgraph: Subgraph }
  | { readonly kind: 'http'; readonly url: string; readonly token: Secret | null };

export type SubgraphConnections = Readonly<Record<ServiceName, SubgraphConnection>>;

/** A source as the trace shows it. */
export type NamedStatus = RemoteStatus & { readonly name: ServiceName };

/** A source as `/readyz` shows it: the quotas are those of the operator's key. */
export type SourceReport = NamedStatus & SourceFigures;

/** The subgraphs of a gateway, whatever processes they run in. */
export interface Subgraphs {
  /** The source behind a subgraph of the supergraph, by the name and address that the file gives it. */
  sourceFor(name: string, url: string): Source;
  /** The last known state of each source, without a call. */
  known(): NamedStatus[];
  /** State and figures of each source now; subgraphs in other processes are queried. */
  ask(): Promise<SourceReport[]>;
  /** The value of the header `x-passerelle-upstreams` (architecture 2). */
  upstreams(): 'sandbox' | 'real' | 'off' | 'unknown' | 'foreign';
}

export interface SubgraphsContext {
  readonly dispatcher: Pool;
  readonly map: SupergraphMap;
  readonly log: Log;
}

interface Connected {
  readonly ask: AskSubgraph;
  known(): RemoteStatus | null;
  askState(): Promise<RemoteStatus & SourceFigures>;
}

/** Our own subgraphs, each by its connection. */
export function connectSubgraphs(connections: SubgraphConnections, context: SubgraphsContext): Subgraphs {
  const connected = new Map<string, Connected>(
    SERVICES.map((name) => [name, connect(name, connections[name], context)]),
  );
  const known = () =>
    SERVICES.flatMap((name) => {
      const status = connected.get(name)?.known();
      return status ? [{ name, ...status }] : [];
    });
  return {
    sourceFor(name) {
      const found = connected.get(name);
      if (found === undefined) throw new Error(`The supergraph names a subgraph that is not ours: ${name}.`);
      return createSource(name, found.ask, context.map, context.log);
    },
    known,
    ask: () =>
      Promise.all(
        [...connected].map(async ([name, { askState }]) => ({ name: name as ServiceName, ...(await askState()) })),
      ),
    upstreams() {
      const modes = new Set(known().map(({ upstream }) => upstream));
      return (['sandbox', 'real', 'off'] as const).find((mode) => modes.has(mode)) ?? 'unknown';
    },
  };
}

/** The subgraphs of a foreign supergraph, at the addresses that it names. Nothing is known of what is behind them. */
export function connectForeignSubgraphs({ dispatcher, map, log }: SubgraphsContext): Subgraphs {
  return {
    sourceFor: (name, url) => createSource(name, askForeign(name, url, dispatcher), map, log),
    known: () => [],
    ask: async () => [],
    upstreams: () => 'foreign',
  };
}

function connect(
  service: ServiceName,
  connection: SubgraphConnection,
  { dispatcher, log }: SubgraphsContext,
): Connected {
  if (connection.kind === 'in-process') {
    const { subgraph } = connection;
    return {
      ask: askInProcess(subgraph, log),
      known: () => subgraph.status(),
      askState: async () => ({ ...subgraph.status(), ...subgraph.figures(null) }),
    };
  }
  const { url, token } = connection;
  const state = createRemoteState(url, dispatcher);
  return {
    ask: askOverHttp({ service, url, token, dispatcher, state }),
    known: () => state.last(),
    askState: () => state.ask(),
  };
}
