import { SERVICE_ENTRIES, SERVICES, writtenCredential } from '../kernel/services.js';
import { type Configuration, ConfigurationError } from '../runtime/configuration/configuration.js';
import { isSubgraph, type Role } from '../runtime/configuration/role.js';
import type { ProcessName } from '../runtime/process/logging.js';
import { callersOf, faultsOf } from '../sandbox/hints.js';
import type { Sandbox } from '../sandbox/index.js';

/** What has started: its URL, and its own sandbox if it has one. */
export interface Started {
  readonly url: string;
  readonly sandbox: Sandbox | null;
}

/** The banner of a started process: where it listens, and what to try. */
export function banner(running: Started, configuration: Configuration): string {
  return [
    `\n${answersAt(running.url, configuration.role)}`,
    ...linesOf(running, configuration).map((line) => `  ${line}`),
    '',
  ].join('\n');
}

/** The same as a line of the log, written at every level: for programs, which read nothing but JSON there. */
export function startLine(running: Started, configuration: Configuration, from: ProcessName): string {
  const hints = linesOf(running, configuration).map((line) => line.replace(/\s+/g, ' '));
  const msg = answersAt(running.url, configuration.role);
  return JSON.stringify({ level: 'info', time: new Date().toISOString(), ...from, url: running.url, hints, msg });
}

function answersAt(url: string, role: Role): string {
  return `Passerelle answers at ${isSubgraph(role) ? url : `${url}/graphql`}`;
}

function linesOf({ url, sandbox }: Started, { role, graphiql }: Configuration): string[] {
  const isGateway = !isSubgraph(role);
  return [
    ...(isGateway && graphiql ? [`to explore:  ${url}/graphiql`] : []),
    ...(sandbox === null ? [] : ['sources:     SANDBOX – invented data on this machine; no real service is called']),
    ...(sandbox !== null && isGateway ? hintsOf(sandbox, url) : []),
    ...(sandbox === null ? [] : [`faults:      ${faultsOf(sandbox)}`]),
  ];
}

/** Credentials for newcomers, as lines of `name: what to send`. `url` is the gateway, where they log in. */
function hintsOf(sandbox: Sandbox, url: string): string[] {
  const { credentials, login } = callersOf(sandbox);
  const written = (kind: 'key' | 'token') =>
    SERVICES.filter((name) => SERVICE_ENTRIES[name].credential.kind === kind).map((name) =>
      writtenCredential(name, credentials[name]),
    );
  return [
    ...written('token').map((header) => `viewer:      send  ${header}`),
    ...(login === null ? [] : [`or log in:   ${url}/auth/waste/login   as ${login.email}, password ${login.password}`]),
    `own keys:    ${written('key').join('   ')}`,
  ];
}

/** One line about an error that an operator can fix; null for any other, which is an internal error. */
export function explain(error: unknown): string | null {
  if (error instanceof ConfigurationError) return error.message;
  const { code, address, port } = error as { code?: unknown; address?: unknown; port?: unknown };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${address} is taken: set PORT or METRICS_PORT (--port of the sandbox) to another one.`;
  if (code === 'MODULE_NOT_FOUND')
    return 'The sandbox needs its data, which `npm ci --include=dev` installs. Real services need no sandbox: set their variables, and NODE_ENV=production.';
  if (code === 'ENOTFOUND') return 'HOST or METRICS_HOST is not an address of this machine.';
  return code === 'EADDRNOTAVAIL' ? `This machine has no address ${address}: set HOST or METRICS_HOST.` : null;
}
