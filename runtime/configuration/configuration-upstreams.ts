import { SERVICES, type ServiceName } from '../../schema/services.js';
import type { Secret } from '../credentials/secret.js';
import type { ConfigurationReader } from './configuration-reader.js';
import type { VariableName } from './configuration-variables.js';
import type { Role } from './role.js';

/** Where a service's data come from: its servers, the sandbox that this process starts, or nowhere. */
export type Configured<T> = ({ readonly mode: 'real' } & T) | { readonly mode: 'sandbox' } | { readonly mode: 'off' };

/** Where each service is called and with which credentials. */
export interface Upstreams {
  readonly 'work-study': Configured<{ readonly url: string; readonly apiKey: Secret }>;
  readonly volunteering: Configured<{ readonly url: string; readonly apiKey: Secret }>;
  readonly 'waste-identity': Configured<{
    readonly authUrl: string;
    readonly apiUrl: string;
    readonly clientId: string;
    readonly clientSecret: Secret;
  }>;
  /** Route of work-study that takes applications, below its base address. */
  readonly applyPath: string;
}

/** The variables that each upstream needs: as soon as one is set, all must be. */
const NEEDED = {
  'work-study': ['WORK_STUDY_URL', 'WORK_STUDY_API_KEY'],
  volunteering: ['VOLUNTEERING_URL', 'VOLUNTEERING_API_KEY'],
  'waste-identity': ['WASTE_AUTH_URL', 'WASTE_API_URL', 'WASTE_CLIENT_ID', 'WASTE_CLIENT_SECRET'],
} as const satisfies Record<ServiceName, readonly VariableName[]>;

/** Today's route (work-study 7.7); the seed names another. */
const APPLY_PATH = '/job/v1/apply';

/**
 * Decides for each service between its servers, the sandbox and nothing (architecture 2). The sandbox is used only when
 * no service is configured and this is not production: it never replaces one service beside real ones.
 */
export function readUpstreams(read: ConfigurationReader, role: Role, production: boolean): Upstreams {
  const nothingSet = !SERVICES.some((service) => isTouched(read, service));
  if (nothingSet && production && role !== 'gateway') {
    read.mistake(
      `No upstream is configured, and production never starts the sandbox: set ${NEEDED['work-study'].join(' and ')}, or those of another service`,
    );
  }
  const otherwise = { mode: nothingSet && role !== 'gateway' ? 'sandbox' : 'off' } as const;
  return {
    'work-study': isTouched(read, 'work-study') ? readKeyed(read, 'work-study') : otherwise,
    volunteering: isTouched(read, 'volunteering') ? readKeyed(read, 'volunteering') : otherwise,
    'waste-identity': isTouched(read, 'waste-identity') ? readWaste(read) : otherwise,
    applyPath: readApplyPath(read),
  };
}

function isTouched(read: ConfigurationReader, service: ServiceName): boolean {
  const names: readonly VariableName[] = NEEDED[service];
  return names.some((name) => read.has(name)) || (service === 'work-study' && read.has('WORK_STUDY_APPLY_PATH'));
}

/** Reports each variable that a service needs and that is not set. */
function checkNeeded(read: ConfigurationReader, service: ServiceName): void {
  const names: readonly VariableName[] = NEEDED[service];
  for (const name of names) {
    if (!read.has(name)) read.mistake(`${name} must be set: ${service} needs ${names.join(', ')}`);
  }
}

function readKeyed(read: ConfigurationReader, service: 'work-study' | 'volunteering'): Upstreams['volunteering'] {
  checkNeeded(read, service);
  const [urlName, keyName] = NEEDED[service];
  const url = read.address(urlName);
  // Otherwise every call would be refused. A proxy may serve work-study without `/api`, the service itself does not.
  if (service === 'volunteering' && url?.endsWith('/v0'))
    read.mistake(`${urlName} must not end with /v0: the paths of the service are added with it`);
  if (service === 'work-study' && url !== null && isWithoutApi(new URL(url)))
    read.mistake(`${urlName} must end with /api: every route of the service lies below it`);
  const apiKey = readKey(read, keyName);
  return url !== null && apiKey !== null ? { mode: 'real', url, apiKey } : { mode: 'off' };
}

/** Whether an address is the service's own host without the path of its API (work-study 2). */
function isWithoutApi({ hostname, pathname }: URL): boolean {
  return hostname.endsWith('.apprentissage.beta.gouv.fr') && !pathname.endsWith('/api');
}

function readWaste(read: ConfigurationReader): Upstreams['waste-identity'] {
  checkNeeded(read, 'waste-identity');
  const authUrl = read.address('WASTE_AUTH_URL');
  const apiUrl = read.address('WASTE_API_URL');
  const clientId = read.text('WASTE_CLIENT_ID');
  const clientSecret = read.secret('WASTE_CLIENT_SECRET');
  const complete = authUrl !== null && apiUrl !== null && clientId !== null && clientSecret !== null;
  return complete ? { mode: 'real', authUrl, apiUrl, clientId, clientSecret } : { mode: 'off' };
}

/** A key is sent in a header, so it must be printable and without blanks. */
function readKey(read: ConfigurationReader, name: VariableName): Secret | null {
  const key = read.secret(name);
  if (key !== null && !/^[\x21-\x7e]+$/.test(key.reveal()))
    read.mistake(`${name} must be printable and without blanks`);
  return key;
}

function readApplyPath(read: ConfigurationReader): string {
  const path = read.text('WORK_STUDY_APPLY_PATH') ?? APPLY_PATH;
  if (!/^(\/[\w.~-]+)+$/.test(path)) read.mistake('WORK_STUDY_APPLY_PATH must be a path such as /job/v1/apply');
  return path;
}
