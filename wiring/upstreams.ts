import type { ServiceName, UpstreamMode } from '../kernel/services.js';
import { operatorAccountOf } from '../runtime/credentials/credentials.js';
import { createUpstreamObserver } from '../runtime/process/upstream-observer.js';
import type { Sandbox } from '../sandbox/index.js';
import { createSystemPorts } from '../subgraphs/rest/ports/ports.js';
import { createUpstream } from '../subgraphs/rest/stages/create-upstream.js';
import type { Dialect, UpstreamService } from '../subgraphs/rest/upstream.js';
import type { WasteIdentitySubgraphOptions } from '../subgraphs/waste-identity/index.js';
import type { SharedParts } from './shared-parts.js';

/** Where a service is and the operator's key for it. */
export interface Wire {
  readonly mode: UpstreamMode;
  readonly baseUrl: string;
  readonly operatorKey: string | null;
}

/** A service that is off still has an address, which is never called. */
const NOWHERE: Wire = { mode: 'off', baseUrl: 'http://127.0.0.1:9', operatorKey: null };

/** Where the configuration says a service is: in the sandbox, at its real address, or nowhere. */
export function wireOf(service: ServiceName, { configuration: { upstreams }, sandbox }: SharedParts): Wire {
  if (upstreams[service].mode === 'sandbox' && sandbox !== null) return sandboxWire(service, sandbox);
  if (service === 'waste-identity') {
    const waste = upstreams[service];
    if (waste.mode !== 'real') return NOWHERE;
    return { mode: 'real', baseUrl: waste.apiUrl, operatorKey: `${waste.clientId}:${waste.clientSecret.reveal()}` };
  }
  const keyed = upstreams[service];
  return keyed.mode === 'real' ? { mode: 'real', baseUrl: keyed.url, operatorKey: keyed.apiKey.reveal() } : NOWHERE;
}

/** Touches only this service's part of the sandbox: a subgraph process starts no other. */
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

/** Where people log in to the waste platform, and the client id they are sent there with. */
export function authorizationOf({
  configuration: { upstreams },
  sandbox,
}: SharedParts): Pick<WasteIdentitySubgraphOptions, 'authorization'> {
  const waste = upstreams['waste-identity'];
  if (waste.mode === 'real') return { authorization: { authUrl: waste.authUrl, clientId: waste.clientId } };
  if (waste.mode === 'off' || sandbox === null) return {};
  return { authorization: { authUrl: sandbox.waste.authUrl, clientId: sandbox.keys.waste.client.id } };
}

/** The client of a service: its wire behind quota, cache, retries and breaker, reporting to log and metrics. */
export function connectUpstream(
  service: ServiceName,
  wire: Wire,
  dialect: Dialect,
  parts: SharedParts,
): UpstreamService {
  const { stores, log, metrics, mintCredential } = parts;
  const { mode, baseUrl, operatorKey } = wire;
  return createUpstream(
    {
      service,
      mode,
      baseUrl,
      operatorKey: operatorKey === null ? null : mintCredential(operatorKey),
      // Deriving it takes tens of milliseconds, and only replicas with a common Redis need it.
      ...(operatorKey !== null && stores.redis !== null && { operatorAccount: operatorAccountOf(operatorKey) }),
      dialect,
      ...createUpstreamObserver(log, metrics),
    },
    createSystemPorts(stores, parts.watchCaches(service)),
  );
}
