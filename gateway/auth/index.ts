import type { FastifyInstance } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { ErrorCode } from '../../kernel/errors.js';
import type { Log } from '../../kernel/log.js';
import type { MintCredential } from '../../runtime/credentials/credentials.js';
import type { CrossOrigin } from '../../runtime/http/cross-origin.js';
import type { RequestHeaders } from '../../runtime/http/request-headers.js';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { CallerSession } from '../callers/caller.js';
import type { CallerLimits } from '../callers/caller-limits.js';
import type { SubgraphFetcher } from '../remote/subgraphs.js';
import { sessionIn } from './cookies.js';
import { refuseForgedRequest, type TrustedPages } from './cross-site.js';
import type { LoginContext } from './login.js';
import { CALLBACK_PATH, serveAuth } from './routes.js';
import { createSessions, type SealKeys, type Session } from './sessions.js';

/** What logging in needs from the process. */
export interface IdentitySettings {
  /** The origin that browsers see; null for the address at which the gateway listens. */
  readonly publicUrl: string | null;
  readonly keys: SealKeys;
  /** Pending logins. Anyone may start one, so they are stored apart and cannot evict sessions. */
  readonly logins: ExactStore;
  readonly sessions: ExactStore;
  /** Milliseconds since 1970. */
  now(): number;
}

/** What logging in is created from. */
export interface IdentityOptions extends IdentitySettings {
  /** The waste-identity subgraph. */
  readonly fetcher: SubgraphFetcher;
  readonly callerLimits: Pick<CallerLimits, 'beginLogin'>;
  readonly crossOrigin: CrossOrigin;
  readonly mintCredential: MintCredential;
  readonly deadlineMs: number;
  readonly log: Log;
}

/** Logins and sessions of browsers, which get an opaque cookie and never a token (architecture 7). */
export type Identity = ReturnType<typeof createIdentity>;

/** Creates logins and sessions over a platform and two stores. */
export function createIdentity(options: IdentityOptions) {
  const { fetcher, keys, now, log, callerLimits, crossOrigin, mintCredential, deadlineMs } = options;
  let origin = options.publicUrl ?? '';
  const secure = origin.startsWith('https:');
  const pages: TrustedPages = { allows: crossOrigin.allows, ownOrigin: () => origin };
  const sessions = createSessions({ store: options.sessions, keys, now });
  const login: LoginContext = {
    fetcher,
    sessions,
    mintCredential,
    deadlineMs,
    pending: { store: options.logins, keys, now },
    redirectUri: () => `${origin}${CALLBACK_PATH}`,
  };

  function toCallerSession({ key, subject, token }: Session): CallerSession {
    // Headers cannot contain the first character, so no key that a caller sends has the hash of a user.
    const user = mintCredential(`\0user ${subject}`).fingerprint;
    if (token === null) return { ...withoutToken(RECONNECT), user };
    return {
      user,
      credential: mintCredential(token.reveal()),
      async settle(errors) {
        if (errors?.some((error) => isPlatformError(error, 'RECONNECT_REQUIRED')) === true) {
          await sessions
            .forgetToken(key)
            .catch((error) => log.error({ err: error }, 'could not mark a session for reconnecting'));
        }
        return errors;
      },
    };
  }

  return {
    serve: (server: FastifyInstance) => serveAuth(server, { callerLimits, login, secure, pages, crossOrigin, log }),
    /** Receives the URL once the gateway listens. */
    listensAt(url: string): void {
      origin = options.publicUrl ?? url;
    },
    /**
     * The session of a GraphQL request's cookie; null if it has none. Does not fail if the store is down, since the
     * other sources still respond. Throws a RequestError if a page of another site may have sent the request.
     */
    async sessionOf(headers: RequestHeaders, requestId: string): Promise<CallerSession | null> {
      const id = sessionIn(headers, secure);
      if (id === null) return null;
      refuseForgedRequest(headers, pages);
      try {
        const session = await sessions.find(id);
        return session === null ? null : toCallerSession(session);
      } catch {
        log.debug({ requestId }, 'the session could not be looked up');
        return withoutToken(SESSIONS_UNAVAILABLE);
      }
    },
  };
}

interface UnavailableToken {
  readonly message: string;
  readonly extensions: { readonly code: ErrorCode; readonly service?: 'waste-identity' };
}

const RECONNECT: UnavailableToken = {
  message: 'The waste platform no longer accepts the token of this session: log in again.',
  extensions: { code: 'RECONNECT_REQUIRED', service: 'waste-identity' },
};

/** Logging in again would not help: it needs the store as well. */
const SESSIONS_UNAVAILABLE: UnavailableToken = {
  message: 'Sessions cannot be looked up at the moment, so the caller is unknown: try again later.',
  extensions: { code: 'GATEWAY_UNAVAILABLE' },
};

/** The subgraph sees a caller who never logged in: its CREDENTIALS_REQUIRED is replaced by the actual reason. */
function withoutToken({ message, extensions }: UnavailableToken): CallerSession {
  const withReason = (error: GraphQLFormattedError): GraphQLFormattedError => {
    if (!isPlatformError(error, 'CREDENTIALS_REQUIRED')) return error;
    const { service: _, ...others } = error.extensions ?? {};
    return { ...error, message, extensions: { ...others, ...extensions } };
  };
  return { credential: null, user: null, settle: async (errors) => errors?.map(withReason) };
}

function isPlatformError({ extensions }: GraphQLFormattedError, code: string): boolean {
  return extensions?.['code'] === code && extensions['service'] === 'waste-identity';
}
