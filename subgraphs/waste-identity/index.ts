import { CodedError } from '../../kernel/errors.js';
import type { OperationContext, Subgraph } from '../../kernel/operation.js';
import { perRequest } from '../graph/loader.js';
import { sourceReport } from '../graph/sources.js';
import { subgraphSchema } from '../graph/subgraph-schema.js';
import type { UpstreamService } from '../rest/upstream.js';
import {
  type AuthorizationClient,
  type AuthorizationOptions,
  createAuthorizationClient,
} from './authorization/client.js';
import { authorizationResolvers } from './authorization/resolvers.js';
import type { Context } from './context.js';
import { createViewerLoaders } from './viewer/client.js';
import { viewerResolvers } from './viewer/resolvers.js';

/** The platform, and what logging in needs if it is configured. */
export interface WasteIdentitySubgraphOptions {
  /** The platform's API host, reached with `wasteIdentityDialect`; its operator's key is `clientId:clientSecret`. */
  readonly upstream: UpstreamService;
  /** What logging in needs. Without it, callers send their own tokens. */
  readonly authorization?: AuthorizationOptions;
}

/** The subgraph's schema, created at the first call. */
export const wasteIdentitySchema = subgraphSchema('waste-identity', [viewerResolvers, authorizationResolvers]);

/** The subgraph of the waste platform's users. Closing it releases the platform. */
export function createWasteIdentitySubgraph(options: WasteIdentitySubgraphOptions): Subgraph {
  const { upstream } = options;
  const authorization =
    options.authorization === undefined ? null : createAuthorizationClient(upstream, options.authorization);
  const loadersOf = perRequest(() => createViewerLoaders(upstream));
  return {
    name: 'waste-identity',
    schema: wasteIdentitySchema(),
    contextFor: (operation): Context => ({
      operation,
      authorization: () => forTheGateway(authorization, operation),
      loaders: loadersOf(operation),
      report: () => sourceReport(upstream.sender.service, upstream, operation),
    }),
    status: () => upstream.status(),
    figures: (credential) => upstream.figures(credential),
    version: (credential) => upstream.version(credential),
    close: () => upstream.close(),
  };
}

/** Defence in depth: the executor has already rejected these fields for anyone but the gateway. */
function forTheGateway(client: AuthorizationClient | null, { internal }: OperationContext): AuthorizationClient {
  if (!internal) throw new CodedError('PERMISSION_DENIED', 'Only the gateway itself may request this.');
  if (client !== null) return client;
  throw new CodedError('SOURCE_OFF', 'Logging in to the waste platform is not configured here.', {
    service: 'waste-identity',
  });
}
