import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { IdentitySettings } from './gateway/auth/index.js';
import { CALLBACK_PATH } from './gateway/auth/routes.js';
import { readSupergraph } from './gateway/execution/supergraph.js';
import { createGateway } from './gateway/index.js';
import { parseSafelist, type SafelistPolicy } from './gateway/limits/safelist.js';
import type { SubgraphConnection, SubgraphConnections } from './gateway/subgraphs/connect-subgraphs.js';
import { helpText, readCommand } from './runtime/configuration/command-line.js';
import { type Configuration, ConfigurationError, readConfiguration } from './runtime/configuration/configuration.js';
import { isSubgraph, type Role } from './runtime/configuration/role.js';
import { createCredentialMinter, createRootKeys, type RootKeys } from './runtime/credentials/credentials.js';
import { createLifecycle, type Lifecycle } from './runtime/process/lifecycle.js';
import { createLog, readsLikeAPerson } from './runtime/process/logging.js';
import { createMetrics, type Metrics } from './runtime/process/metrics.js';
import { listenMetrics } from './runtime/process/metrics-listener.js';
import { createUpstreamObserver } from './runtime/process/upstream-observer.js';
import { addressMark } from './runtime/stores/address-mark.js';
import { openCacheFolder } from './runtime/stores/cache-folder.js';
import { openSessionStores } from './runtime/stores/session-stores.js';
import { openStores, type Stores } from './runtime/stores/store.js';
import { listenSubgraph } from './runtime/subgraph-host/subgraph-listener.js';
import { hintsOf, variablesOf } from './sandbox/hints.js';
import { type Sandbox, startSandbox } from './sandbox/index.js';
import type { Log } from './schema/log.js';
import type { Credential, Subgraph } from './schema/operation.js';
import { SERVICES, type ServiceName, type UpstreamMode } from './schema/services.js';
import { createUpstream } from './subgraphs/rest/create-upstream.js';
import type { Dialect } from './subgraphs/rest/dialect.js';
import { systemClock } from './subgraphs/rest/ports/clock.js';
import { createSystemPorts } from './subgraphs/rest/ports/system-ports.js';
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
  /** Starts to fetch what queries will need, in the background. Whoever counts calls leaves it out. */
  fetchAhead(): void;
  close(): Promise<void>;
  /** Closes on SIGTERM or SIGINT. */
  closeOnSignals(): void;
}

/**
 * Starts what the role says; `scale` is the factor on the sandbox's data. Whatever was opened is closed again when it
 * fails.
 */
export async function start(settings: Configuration, log: Log, scale = 1): Promise<Running> {
  const lifecycle = createLifecycle(log);
  try {
    const { role, host, port } = settings;
    const supergraph = await usable('SUPERGRAPH', readSupergraph(settings.supergraphPath));
    // A foreign graph uses none of our sources.
    const sandbox = supergraph.ours || isSubgraph(role) ? await openSandbox(settings, scale) : null;
    // The sandbox has other addresses at every start: what it said is worth nothing to the next one.
    const cacheDir = sandbox === null ? await openCacheFolder(settings.cacheDir, log) : null;
    const configuration = { ...settings, cacheDir };
    if (sandbox !== null) lifecycle.opened('sandbox', () => sandbox.close());
    const house = openHouse(configuration, sandbox, log);
    lifecycle.opened('stores', () => house.stores.close());
    const { metrics } = house;
    if (metrics !== null && configuration.metricsPort !== null) {
      const { metricsHost, metricsPort } = configuration;
      const listener = await listenMetrics({ metrics, host: metricsHost, port: metricsPort, log });
      lifecycle.opened('metrics', () => listener.close());
    }
    const url = isSubgraph(role) ? await openSubgraph(role) : await openGateway();
    lifecycle.ready();
    return {
      url,
      sandbox,
      fetchAhead() {
        // A foreign graph uses none of our sources.
        if (supergraph.ours || isSubgraph(role)) for (const begin of house.beginnings) begin();
      },
      close: () => lifecycle.close(),
      closeOnSignals: () => lifecycle.closeOnSignals(),
    };

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
      const options = {
        ...configuration,
        supergraph,
        subgraphs: connections,
        mintCredential: house.mintCredential,
        identity: openIdentity(configuration, house, lifecycle),
        safelist: await usable('SAFELIST', openSafelist(configuration)),
        log,
        metrics,
        phase: () => lifecycle.phase,
      };
      const gateway = await (supergraph.ours ? createGateway(options) : usable('SUPERGRAPH', createGateway(options)));
      lifecycle.opened('gateway', () => gateway.close());
      const { url } = await gateway.listen(host, port);
      // The sandbox sends browsers back to port 4000 only, unless another one is registered.
      sandbox?.waste.registerRedirectUri(`${configuration.publicUrl ?? url}${CALLBACK_PATH}`);
      return url;
    }
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

/** The stores of logins and sessions, and the keys that encrypt their contents. */
function openIdentity(configuration: Configuration, house: House, lifecycle: Lifecycle): IdentitySettings {
  const { publicUrl } = configuration;
  const { logins, sessions, close } = openSessionStores(configuration.cacheUrl, house.log);
  lifecycle.opened('sessions', close);
  return { publicUrl, keys: house.rootKeys.derive('sessions'), logins, sessions, now: () => Date.now() };
}

/** What is read from a file that a variable names: a file that cannot be used is a mistake of the configuration. */
async function usable<T>(variable: string, read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    // The system's messages repeat the path, and a value is never printed; a parser's would repeat the file.
    const { code, message } = error as NodeJS.ErrnoException;
    const why = typeof code === 'string' ? `cannot be read (${code})` : `cannot be used: ${message.split('\n')[0]}`;
    throw new ConfigurationError([`${variable} names a file that ${why}`]);
  }
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
  /** Of its subgraphs, what `fetchAhead` begins. */
  readonly beginnings: (() => void)[];
  mintCredential(secret: string): Credential;
}

function openHouse(configuration: Configuration, sandbox: Sandbox | null, log: Log): House {
  const rootKeys = createRootKeys(configuration.sessionSecrets);
  return {
    configuration,
    sandbox,
    stores: openStores({ ...configuration, log }),
    metrics: configuration.metricsPort === null ? null : createMetrics(),
    log,
    rootKeys,
    beginnings: [],
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
      const mark = `work-study-${addressMark(wire.baseUrl)}`;
      const { shared: store, inTurn } = house.stores;
      const subgraph = createWorkStudySubgraph({
        upstream: connectUpstream(service, wire, workStudyDialect, house),
        applyPath: configuration.upstreams.applyPath,
        cacheFolder: exportFolder(configuration.cacheDir, wire.baseUrl),
        sharedExport: { store, key: `${mark}:export-date`, inTurn: inTurn(`${mark}:export`) },
        clock: systemClock,
        log,
        // Only in production: in development and tests, people count the calls that they cause.
        ...(configuration.production &&
          wire.mode === 'real' && {
            warming: { store, key: `${mark}:communes-used` },
          }),
      });
      house.beginnings.push(() => subgraph.loadExport());
      return subgraph;
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

function exportFolder(cacheDir: string | null, baseUrl: string): string | null {
  return cacheDir === null ? null : join(cacheDir, `work-study-export-${addressMark(baseUrl)}`);
}

/** Where a service is and the operator's key for it. */
interface Wire {
  readonly mode: UpstreamMode;
  readonly baseUrl: string;
  readonly operatorKey: string | null;
}

/** A service that is off still has an address, which is never called. */
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

/** Only the wanted service: a subgraph process starts no other. */
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
    createSystemPorts(stores),
  );
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

function banner({ url, sandbox }: Running, { role, graphiql }: Configuration): string {
  const isGateway = !isSubgraph(role);
  const lines = [
    ...(isGateway && graphiql ? [`to explore:  ${url}/graphiql`] : []),
    ...(sandbox === null ? [] : ['sources:     SANDBOX – invented data on this machine; no real service is called']),
    ...(sandbox !== null && isGateway ? hintsOf(sandbox, url) : []),
  ];
  return [
    `\nPasserelle answers at ${isGateway ? `${url}/graphql` : url}`,
    ...lines.map((line) => `  ${line}`),
    '',
  ].join('\n');
}

/** Only the services of the sandbox, until the process is asked to end. */
async function runSandbox(scale: number): Promise<void> {
  const variables = Object.entries(variablesOf(await startSandbox({ scale })));
  const lines = variables.map(([name, value]) => `${name}=${value}`);
  print(`The sandbox runs until it is interrupted. To use it from another process:\n\n${lines.join('\n')}\n`);
}

async function run(role: Role, scale: number): Promise<void> {
  const configuration = readConfiguration(role);
  const { logLevel: level, production } = configuration;
  const running = await start(configuration, createLog({ level, pretty: readsLikeAPerson(production) }), scale);
  running.closeOnSignals();
  running.fetchAhead();
  print(banner(running, configuration));
}

/** One line for what an operator can fix; anything else is an internal error, with its stack. */
function explain(error: unknown): string | null {
  if (error instanceof ConfigurationError) return error.message;
  const { code, address, port } = error as { code?: unknown; address?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: set PORT or METRICS_PORT to another one.`;
  if (code === 'ENOTFOUND') return 'HOST or METRICS_HOST is no address of this machine.';
  return code === 'EADDRNOTAVAIL' ? `This machine has no address ${address}: set HOST or METRICS_HOST.` : null;
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  try {
    if (command.kind === 'run') await run(command.role, command.scale);
    if (command.kind === 'sandbox') await runSandbox(command.scale);
    if (command.kind === 'help') print(helpText());
    if (command.kind === 'mistake') {
      process.stderr.write(`${command.message} See --help.\n`);
      process.exitCode = 2;
    }
  } catch (error) {
    const told = explain(error);
    if (told === null) throw error;
    process.stderr.write(`${told}\n`);
    process.exitCode = 1;
  }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await main();
