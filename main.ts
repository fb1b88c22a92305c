import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import type { IdentitySettings } from './gateway/auth/index.js';
import { CALLBACK_PATH } from './gateway/auth/routes.js';
import { createGateway } from './gateway/index.js';
import { parseSafelist, type SafelistPolicy } from './gateway/safelist.js';
import type { SubgraphConnection, SubgraphConnections } from './gateway/subgraphs.js';
import { readSupergraph } from './gateway/supergraph.js';
import {
  type Configuration,
  ConfigurationError,
  configurationHelp,
  readConfiguration,
} from './runtime/configuration.js';
import { createCredentialMinter, createRootKeys, type RootKeys } from './runtime/credentials.js';
import { createLifecycle, type Lifecycle } from './runtime/lifecycle.js';
import { createLog, readsLikeAPerson } from './runtime/logging.js';
import { createMetrics, type Metrics } from './runtime/metrics.js';
import { listenMetrics } from './runtime/metrics-listener.js';
import { isSubgraph, type Role } from './runtime/role.js';
import { openSessionStores } from './runtime/session-stores.js';
import { openStores, type Stores } from './runtime/store.js';
import { listenSubgraph } from './runtime/subgraph-listener.js';
import { createUpstreamObserver } from './runtime/upstream-observer.js';
import { type Sandbox, startSandbox } from './sandbox/index.js';
import type { Log } from './schema/log.js';
import type { Credential, Subgraph } from './schema/operation.js';
import { SERVICES, type ServiceName, type UpstreamMode } from './schema/services.js';
import { createUpstream } from './subgraphs/rest/create-upstream.js';
import type { Dialect } from './subgraphs/rest/dialect.js';
import { systemClock } from './subgraphs/rest/ports/clock.js';
import { systemRandom } from './subgraphs/rest/ports/random.js';
import { createUndiciTransport } from './subgraphs/rest/ports/undici-transport.js';
import type { UpstreamService } from './subgraphs/rest/upstream.js';
import { volunteeringDialect } from './subgraphs/volunteering/dialect.js';
import { createVolunteeringSubgraph } from './subgraphs/volunteering/index.js';
import { wasteIdentityDialect } from './subgraphs/waste-identity/dialect.js';
import { createWasteIdentitySubgraph, type WasteIdentitySubgraphOptions } from './subgraphs/waste-identity/index.js';
import { workStudyDialect } from './subgraphs/work-study/dialect.js';
import { createWorkStudySubgraph } from './subgraphs/work-study/index.js';

/** A running process of any shape. */
export interface Running {
  /** Where it answers. */
  readonly url: string;
  /** Of its own; null when the sources are real or run elsewhere. */
  readonly sandbox: Sandbox | null;
  close(): Promise<void>;
  /** Closes when the process is told to end. */
  closeOnSignals(): void;
}

/**
 * Starts what the role says; `scale` is the factor on the sandbox's data. Whatever was opened is closed again when it
 * fails.
 */
export async function start(configuration: Configuration, log: Log, scale = 1): Promise<Running> {
  const lifecycle = createLifecycle(log);
  try {
    const { role, host, port } = configuration;
    const sandbox = await openSandbox(configuration, scale);
    if (sandbox !== null) lifecycle.opened('sandbox', () => sandbox.close());
    const house = openHouse(configuration, sandbox, log);
    lifecycle.opened('stores', () => house.stores.close());
    const { metrics } = house;
    if (metrics !== null && configuration.metricsPort !== null) {
      const listener = await listenMetrics(metrics, host, configuration.metricsPort);
      lifecycle.opened('metrics', () => listener.close());
    }
    const url = isSubgraph(role) ? await openSubgraph(role) : await openGateway();
    lifecycle.ready();
    return { url, sandbox, close: () => lifecycle.close(), closeOnSignals: () => lifecycle.closeOnSignals() };

    async function openSubgraph(service: ServiceName): Promise<string> {
      const subgraph = createSubgraph(service, house);
      lifecycle.opened(service, () => subgraph.close());
      const { mintCredential } = house;
      const { subgraphToken: token, requestDeadlineMs: deadlineMs } = configuration;
      const listener = await listenSubgraph({ subgraph, host, port, token, mintCredential, deadlineMs, log });
      lifecycle.opened('listener', () => listener.close());
      return listener.url;
    }

    async function openGateway(): Promise<string> {
      const connections = connectAll(configuration, house);
      for (const connection of Object.values(connections)) {
        if (connection.kind === 'in-process')
          lifecycle.opened(connection.subgraph.name, () => connection.subgraph.close());
      }
      const gateway = await createGateway({
        ...configuration,
        supergraph: await readSupergraph(configuration.supergraphPath),
        subgraphs: connections,
        mintCredential: house.mintCredential,
        identity: openIdentity(configuration, house, lifecycle),
        safelist: await openSafelist(configuration),
        log,
        metrics,
        phase: () => lifecycle.phase,
      });
      lifecycle.opened('gateway', () => gateway.close());
      const { url } = await gateway.listen(host, port);
      // The sandbox sends browsers back to port 4000 only, until it is told.
      sandbox?.waste.registerRedirectUri(`${configuration.publicUrl ?? url}${CALLBACK_PATH}`);
      return url;
    }
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

/** Where the gateway keeps logins and sessions, and the keys that seal what lies there. */
function openIdentity(configuration: Configuration, house: House, lifecycle: Lifecycle): IdentitySettings {
  const { publicUrl } = configuration;
  const { logins, sessions, close } = openSessionStores(configuration.cacheUrl, house.log);
  lifecycle.opened('sessions', close);
  return { publicUrl, keys: house.rootKeys.derive('sessions'), logins, sessions, now: () => Date.now() };
}

async function openSafelist({ safelist }: Configuration): Promise<SafelistPolicy | null> {
  if (safelist === null) return null;
  return { mode: safelist.mode, operations: parseSafelist(await readFile(safelist.path, 'utf8')) };
}

/** What the subgraphs of one process share. */
interface House {
  readonly configuration: Configuration;
  readonly sandbox: Sandbox | null;
  readonly stores: Stores;
  readonly metrics: Metrics | null;
  readonly log: Log;
  readonly rootKeys: RootKeys;
  mintCredential(secret: string): Credential;
}

function openHouse(configuration: Configuration, sandbox: Sandbox | null, log: Log): House {
  const rootKeys = createRootKeys(configuration.sessionSecrets);
  return {
    configuration,
    sandbox,
    stores: openStores({ cacheDir: configuration.cacheDir, log }),
    metrics: configuration.metricsPort === null ? null : createMetrics(),
    log,
    rootKeys,
    mintCredential: createCredentialMinter(rootKeys),
  };
}

/** The sandbox of the services that the configuration leaves to it; null when there is none. */
async function openSandbox({ role, upstreams }: Configuration, scale: number): Promise<Sandbox | null> {
  const services = SERVICES.filter((name) => upstreams[name].mode === 'sandbox' && (role === 'all' || role === name));
  return services.length === 0 ? null : startSandbox({ services, scale });
}

function connectAll(configuration: Configuration, house: House): SubgraphConnections {
  const connect = (service: ServiceName): SubgraphConnection => {
    const url = configuration.subgraphUrls[service];
    return url === undefined
      ? { kind: 'in-process', subgraph: createSubgraph(service, house) }
      : { kind: 'http', url, token: configuration.subgraphToken };
  };
  return {
    'work-study': connect('work-study'),
    'waste-identity': connect('waste-identity'),
    volunteering: connect('volunteering'),
  };
}

function createSubgraph(service: ServiceName, house: House): Subgraph {
  const { configuration, log } = house;
  switch (service) {
    case 'work-study': {
      const wire = wireOf(service, house);
      return createWorkStudySubgraph({
        upstream: connectUpstream(service, wire, workStudyDialect, house),
        applyPath: configuration.upstreams.applyPath,
        cacheFolder: exportFolder(configuration.cacheDir, wire.baseUrl),
        clock: systemClock,
        log,
      });
    }
    case 'waste-identity':
      return createWasteIdentitySubgraph({
        upstream: connectUpstream(service, wireOf(service, house), wasteIdentityDialect, house),
        ...authorizationOf(house),
      });
    case 'volunteering':
      return createVolunteeringSubgraph({
        upstream: connectUpstream(service, wireOf(service, house), volunteeringDialect, house),
      });
  }
}

/** Exports of different addresses are kept apart, without naming them. */
function exportFolder(cacheDir: string | null, baseUrl: string): string | null {
  const address = createHash('sha256').update(baseUrl).digest('hex').slice(0, 12);
  return cacheDir === null ? null : join(cacheDir, `work-study-export-${address}`);
}

/** Where a service is and the operator's key for it. */
interface Wire {
  readonly mode: UpstreamMode;
  readonly baseUrl: string;
  readonly operatorKey: string | null;
}

/** A service that is off has an address all the same, which nobody calls. */
const NOWHERE: Wire = { mode: 'off', baseUrl: 'http://127.0.0.1:9', operatorKey: null };

function wireOf(service: ServiceName, { configuration: { upstreams }, sandbox }: House): Wire {
  if (upstreams[service].mode === 'sandbox' && sandbox !== null) return sandboxWire(service, sandbox);
  if (service === 'waste-identity') {
    const waste = upstreams[service];
    if (waste.mode !== 'real') return NOWHERE;
    return { mode: 'real', baseUrl: waste.apiUrl, operatorKey: `${waste.clientId}:${waste.clientSecret.reveal()}` };
  }
  const keyed = upstreams[service];
  return keyed.mode === 'real' ? { mode: 'real', baseUrl: keyed.url, operatorKey: keyed.apiKey.reveal() } : NOWHERE;
}

/** Only the service that is asked for: a subgraph of its own starts no other. */
function sandboxWire(service: ServiceName, sandbox: Sandbox): Wire {
  const { keys } = sandbox;
  switch (service) {
    case 'work-study':
      return { mode: 'sandbox', baseUrl: sandbox.workStudy.url, operatorKey: keys.workStudy.operator };
    case 'volunteering':
      return { mode: 'sandbox', baseUrl: sandbox.volunteering.url, operatorKey: keys.volunteering.operator };
    case 'waste-identity': {
      const { id, secret } = keys.waste.client;
      return { mode: 'sandbox', baseUrl: sandbox.waste.url, operatorKey: `${id}:${secret}` };
    }
  }
}

/** Where people log in to the waste platform, and as which application they are sent there. */
function authorizationOf({
  configuration: { upstreams },
  sandbox,
}: House): Pick<WasteIdentitySubgraphOptions, 'authorization'> {
  const waste = upstreams['waste-identity'];
  if (waste.mode === 'real') return { authorization: { authUrl: waste.authUrl, clientId: waste.clientId } };
  if (waste.mode === 'off' || sandbox === null) return {};
  return { authorization: { authUrl: sandbox.waste.authUrl, clientId: sandbox.keys.waste.client.id } };
}

/** Connections kept open to one service: as many as calls at once (DESIGN 6). */
const CONNECTIONS = 32;

function connectUpstream(service: ServiceName, wire: Wire, dialect: Dialect, house: House): UpstreamService {
  const { stores, log, metrics, mintCredential } = house;
  const { mode, baseUrl, operatorKey } = wire;
  return createUpstream(
    {
      service,
      mode,
      baseUrl,
      operatorKey: operatorKey === null ? null : mintCredential(operatorKey),
      dialect,
      ...createUpstreamObserver(log, metrics),
    },
    {
      clock: systemClock,
      random: systemRandom,
      transport: createUndiciTransport({ connections: CONNECTIONS }),
      sharedStore: stores.shared,
      privateStore: stores.perKey,
    },
  );
}

const USAGE = `Usage:
  npm start                               gateway and subgraphs in one process
  npm run start:gateway                   the gateway alone; subgraphs at SUBGRAPH_…_URL
  npm run start:subgraph -- SERVICE       one subgraph alone: ${SERVICES.join(', ')}
  npm run sandbox                         the sandbox's three services alone

Options:
  --scale N                               factor on the sandbox's data (default 1: 6,000 missions)
  --help                                  this text
`;

function readRole([command, service]: readonly string[]): Role | null {
  if (command === undefined) return 'all';
  if (command === 'gateway') return 'gateway';
  return command === 'subgraph' ? (SERVICES.find((name) => name === service) ?? null) : null;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function banner({ url, sandbox }: Running, { role, graphiql }: Configuration): string {
  const lines = [`Passerelle answers at ${isSubgraph(role) ? url : `${url}/graphql`}`];
  if (!isSubgraph(role) && graphiql) lines.push(`  to explore:  ${url}/graphiql`);
  if (sandbox !== null) {
    lines.push('  sources:     SANDBOX – invented data on this machine; no real service is asked');
    if (role === 'all' || role === 'waste-identity') {
      lines.push(`  viewer:      send  Authorization: Bearer ${sandbox.keys.waste.token}`);
    }
    const [user] = sandbox.world.wasteUsers;
    if (role === 'all' && user !== undefined) {
      lines.push(`  or log in:   ${url}/auth/waste/login   as ${user.email}, password ${user.password}`);
    }
    if (role === 'all') {
      const { workStudy, volunteering } = sandbox.keys;
      lines.push(`  own keys:    x-work-study-key: ${workStudy.alice}   x-volunteering-key: ${volunteering.alice}`);
    }
  }
  return `\n${lines.join('\n')}\n`;
}

/** The services of the sandbox alone, with what must be set to use them. */
async function runSandbox(scale: number): Promise<void> {
  const { workStudy, volunteering, waste, keys } = await startSandbox({ scale });
  print(`The sandbox runs until it is interrupted. To use it from another process:

WORK_STUDY_URL=${workStudy.url}
WORK_STUDY_API_KEY=${keys.workStudy.operator}
VOLUNTEERING_URL=${volunteering.url}
VOLUNTEERING_API_KEY=${keys.volunteering.operator}
WASTE_AUTH_URL=${waste.authUrl}
WASTE_API_URL=${waste.url}
WASTE_CLIENT_ID=${keys.waste.client.id}
WASTE_CLIENT_SECRET=${keys.waste.client.secret}
`);
}

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { help: { type: 'boolean', default: false }, scale: { type: 'string', default: '1' } },
  });
  const role = readRole(positionals);
  const scale = Number(values.scale);
  const understood = (role !== null || positionals[0] === 'sandbox') && scale > 0 && Number.isFinite(scale);
  if (values.help || !understood) {
    print(`${USAGE}\n${configurationHelp()}`);
    if (!understood) process.exitCode = 2;
    return;
  }
  if (role === null) return runSandbox(scale);
  try {
    const configuration = readConfiguration(role);
    const { logLevel: level, production } = configuration;
    const running = await start(configuration, createLog({ level, pretty: readsLikeAPerson(production) }), scale);
    running.closeOnSignals();
    print(banner(running, configuration));
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
