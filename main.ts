import { realpathSync } from 'node:fs';
import { isatty } from 'node:tty';
import { fileURLToPath } from 'node:url';
import type { IdentitySettings } from './gateway/auth/index.js';
import { CALLBACK_PATH } from './gateway/auth/routes.js';
import { listenSubgraph } from './gateway/endpoint/subgraph-host.js';
import { readGraph } from './gateway/graph/graph-files.js';
import { createGateway } from './gateway/index.js';
import { doubtsOf } from './gateway/limits/safelist.js';
import { heapLimit, heapShare } from './kernel/caches.js';
import type { Log, Tracing } from './kernel/log.js';
import { SERVICES, type ServiceName } from './kernel/services.js';
import { type Command, helpText, readCommand, type SandboxFlags } from './runtime/configuration/command-line.js';
import { type Configuration, printedConfiguration, readConfiguration } from './runtime/configuration/configuration.js';
import { isSubgraph, type Role } from './runtime/configuration/role.js';
import { requireFreePort } from './runtime/http/server.js';
import { collectAfterStart, createLifecycle, type Lifecycle } from './runtime/process/lifecycle.js';
import {
  createLog,
  type Output,
  openOutput,
  processName,
  readsLikeAPerson,
  writeLastError,
} from './runtime/process/logging.js';
import { listenMetrics } from './runtime/process/metrics-listener.js';
import { openCacheFolder } from './runtime/stores/cache-folder.js';
import { openSessionStores } from './runtime/stores/exact-store.js';
import { faultsOf, variablesOf } from './sandbox/hints.js';
import type { Sandbox, SandboxOptions } from './sandbox/index.js';
import { checkConfiguration, openSafelist } from './wiring/configured-files.js';
import { banner, explain, startLine } from './wiring/messages.js';
import { connectAll, createSubgraph, openSharedParts, type SharedParts, SUBGRAPH_SCHEMAS } from './wiring/subgraphs.js';

/** A running process of any shape. */
export interface Running {
  /** The URL it listens on. */
  readonly url: string;
  /** This process's own sandbox; null when the sources are real or run elsewhere. */
  readonly sandbox: Sandbox | null;
  /** Fetches what queries will need. Never rejects. Leave it out where upstream calls are counted. */
  warmUp(): Promise<void>;
  close(): Promise<void>;
  /** Closes on SIGTERM or SIGINT. */
  handleSignals(): void;
}

/**
 * Starts what the role says; `flags` are the sandbox's, and `output` is where the log is written, if that is
 * to be watched. If it fails, everything it opened is closed again.
 */
export async function start(
  settings: Configuration,
  log: Log,
  flags?: SandboxFlags,
  output: Output | null = null,
): Promise<Running> {
  const lifecycle = createLifecycle(log, settings);
  try {
    const { role } = settings;
    for (const warning of settings.warnings) log.warn({}, warning);
    for (const key of settings.expired) log.error({}, key);
    await requireFreePort(settings.host, settings.port);
    const sandbox = await openSandbox(settings, flags);
    // The sandbox has new addresses at every start, so its responses are worthless to the next one.
    const cacheDir = sandbox === null ? await openCacheFolder(settings.cacheDir, log) : null;
    const configuration = { ...settings, cacheDir };
    if (sandbox !== null) lifecycle.opened('sandbox', () => sandbox.close());
    const tracing = await openTracing(configuration, log);
    if (tracing !== null) lifecycle.opened('traces', () => tracing.close());
    const parts = openSharedParts(configuration, sandbox, log, tracing);
    lifecycle.opened('stores', () => parts.stores.close());
    await parts.stores.firstContact();
    const { metrics } = parts;
    if (output !== null) metrics?.watchLog(() => output.dropped);
    if (metrics !== null && configuration.metricsPort !== null) {
      const { metricsHost, metricsPort } = configuration;
      const listener = await listenMetrics({ metrics, host: metricsHost, port: metricsPort, log });
      lifecycle.opened('metrics', () => listener.close());
    }
    const url = await (isSubgraph(role) ? openSubgraph(role, parts, lifecycle) : openGateway(parts, lifecycle));
    lifecycle.ready();
    return {
      url,
      sandbox,
      async warmUp() {
        await Promise.all(parts.warmUps.map((start) => start()));
      },
      close: () => lifecycle.close(),
      handleSignals: () => lifecycle.closeOnSignals(),
    };
  } catch (error) {
    await lifecycle.close();
    throw error;
  }
}

/** Starts one subgraph with its own listener; returns its URL. */
async function openSubgraph(service: ServiceName, parts: SharedParts, lifecycle: Lifecycle): Promise<string> {
  const subgraph = createSubgraph(service, parts);
  lifecycle.opened(service, () => subgraph.close());
  const own = { subgraph, watchCache: parts.watchCaches(service), phase: () => lifecycle.phase };
  const listener = await listenSubgraph({ ...parts.configuration, ...parts, ...own });
  lifecycle.opened('listener', () => listener.close());
  return listener.url;
}

/** Starts the gateway, with the subgraphs that run in its process; returns its URL. */
async function openGateway(parts: SharedParts, lifecycle: Lifecycle): Promise<string> {
  const { configuration, sandbox, metrics, log } = parts;
  const connections = connectAll(configuration, parts);
  for (const connection of Object.values(connections)) {
    if (!('url' in connection)) lifecycle.opened(connection.name, () => connection.close());
  }
  const safelist = await openSafelist(configuration);
  if (safelist !== null) {
    metrics?.safelist({ ...safelist, operations: safelist.operations.size });
    for (const doubt of doubtsOf(safelist.operations)) log.warn({}, doubt);
  }
  const gateway = await createGateway({
    ...configuration,
    ...parts,
    graph: await readGraph(),
    subgraphs: connections,
    subgraphSchemas: SUBGRAPH_SCHEMAS,
    limitStore: parts.stores.redis,
    identity: openIdentity(configuration, parts, lifecycle),
    safelist,
    phase: () => lifecycle.phase,
  });
  lifecycle.opened('gateway', () => gateway.close());
  metrics?.watchSources(() => gateway.lastKnown());
  if (metrics !== null) metrics.sources = () => gateway.fetchReports();
  const { url } = await gateway.listen(configuration.host, configuration.port);
  // The sandbox sends browsers back to port 4000 only, unless another one is registered.
  sandbox?.waste.registerRedirectUri(`${configuration.publicUrl ?? url}${CALLBACK_PATH}`);
  return url;
}

/** The stores of logins and sessions, and the keys that encrypt their contents. */
function openIdentity(configuration: Configuration, parts: SharedParts, lifecycle: Lifecycle): IdentitySettings {
  const { publicUrl } = configuration;
  const { logins, sessions, close } = openSessionStores(configuration.cache, parts.log, parts.watchCaches('gateway'));
  lifecycle.opened('sessions', close);
  return { publicUrl, keys: parts.rootKeys.derive('sessions'), logins, sessions, now: () => Date.now() };
}

/** Null where nothing is traced: only processes that trace load the library. */
async function openTracing({ otlp }: Configuration, log: Log): Promise<Tracing | null> {
  if (otlp === null) return null;
  const { createOtlpTracing } = await import('./runtime/process/otlp-tracing.js');
  return createOtlpTracing(otlp, log);
}

/** A sandbox of the services that the configuration assigns to it; null when there are none. */
async function openSandbox({ role, upstreams }: Configuration, flags?: SandboxFlags): Promise<Sandbox | null> {
  const services = SERVICES.filter((name) => upstreams[name].mode === 'sandbox' && (role === 'all' || role === name));
  return services.length === 0 ? null : loadSandbox({ services }, flags);
}

/** Imported on demand: a process that calls real services does not load the sandbox. Its calls take their time. */
async function loadSandbox(options: SandboxOptions, flags?: SandboxFlags): Promise<Sandbox> {
  const { startSandbox } = await import('./sandbox/index.js');
  return startSandbox({ ...options, ...flags, volunteering: { timing: true, ...flags } });
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Runs only the sandbox, until a signal stops the process. */
async function runSandbox({ flags, redirectUri, port }: Extract<Command, { kind: 'sandbox' }>): Promise<void> {
  const sandbox = await loadSandbox(port === null ? {} : { ports: portsFrom(port) }, flags);
  if (redirectUri !== null) sandbox.waste.registerRedirectUri(redirectUri);
  const variables = Object.entries(variablesOf(sandbox));
  const lines = variables.map(([name, value]) => `${name}=${value}`);
  print(`The sandbox runs until it is interrupted. To use it from another process:\n\n${lines.join('\n')}\n`);
  const callback = redirectUri ?? `http://127.0.0.1:4000${CALLBACK_PATH}`;
  print(`Faults: ${faultsOf(sandbox)}`);
  print(`Logins return to ${callback}; --redirect-uri URL lets them return elsewhere.`);
}

function portsFrom(first: number): NonNullable<SandboxOptions['ports']> {
  return { 'work-study': first, volunteering: first + 1, 'waste-identity': first + 2, 'waste-ui': first + 3 };
}

/** Nothing where all caches have their full size: less heap means more calls, which nobody would look for there. */
function sayCacheSizes(log: Log): void {
  const percent = Math.round(100 * heapShare());
  const megabytes = Math.round(heapLimit() / 1024 / 1024);
  if (percent < 100)
    log.info({ percent, heapMb: megabytes }, `caches have ${percent} % of their size: heap ${megabytes} MB`);
}

async function run(role: Role, flags: SandboxFlags): Promise<void> {
  const configuration = readConfiguration(role);
  const { logLevel: level, production } = configuration;
  const output = openOutput((lines) =>
    log.warn({ lines }, 'log lines are missing here: they could not be written in time'),
  );
  const from = processName(role);
  const log = createLog({ level, pretty: readsLikeAPerson(production), into: output, from });
  // Warnings of Node and of the sandbox go there; a stream that cannot be written must not end the process.
  process.stderr.on('error', () => {});
  const running = await start(configuration, log, flags, output);
  running.handleSignals();
  sayCacheSizes(log);
  const { outgoingProxies: proxies } = configuration;
  if (proxies !== null) log.info({ noProxy: proxies.noProxy }, 'services are called through a proxy');
  output.write(`${isatty(1) ? banner(running, configuration) : startLine(running, configuration, from)}\n`);
  await running.warmUp();
  await collectAfterStart();
  log.info({ ms: Math.round(performance.now()) }, 'startup complete');
}

async function main(): Promise<void> {
  const command = readCommand(process.argv.slice(2));
  try {
    if (command.kind === 'run') await run(command.role, command.flags);
    if (command.kind === 'sandbox') await runSandbox(command);
    if (command.kind === 'check-config') {
      const warnings = await checkConfiguration(command.role);
      print(['The configuration is good.', ...warnings.map((warning) => `Warning: ${warning}`)].join('\n'));
    }
    if (command.kind === 'print-config') {
      readConfiguration(command.role);
      print(printedConfiguration(command.role));
    }
    if (command.kind === 'help') print(helpText());
    if (command.kind === 'mistake') {
      writeLastError(`${command.message} See --help.\n`);
      process.exitCode = 2;
    }
  } catch (error) {
    const message = explain(error);
    if (message === null) throw error;
    writeLastError(`${message}\n`);
    process.exitCode = 1;
  }
}

/** Whether node was started with this file, even through a symbolic link (`current/dist/main.js`). */
function isStarted(): boolean {
  try {
    return realpathSync(process.argv[1] ?? '') === fileURLToPath(import.meta.url);
  } catch {
    return false;
  }
}

if (isStarted()) await main();
