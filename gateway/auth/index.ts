import type { FastifyInstance } from 'fastify';
import type { GraphQLFormattedError } from 'graphql';
import type { MintCredential } from '../../runtime/credentials/credential-headers.js';
import type { RequestHeaders } from '../../runtime/http/request-headers.js';
import type { ExactStore } from '../../runtime/stores/exact-store.js';
import type { ErrorCode } from '../../schema/errors.js';
import type { Log } from '../../schema/log.js';
import type { Credential } from '../../schema/operation.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import type { Source } from '../subgraphs/source.js';
import { createCookies } from './cookies.js';
import { createCrossSiteGuard } from './cross-site.js';
import { createLogins } from './login.js';
import { createPlatform } from './platform.js';
import { CALLBACK_PATH, serveAuth } from './routes.js';
import { createSessions, type Session } from './sessions.js';
import { createTokenVault } from './token-vault.js';
import { createTransactions, LOGIN_MS } from './transactions.js';

/** What logging in needs of the process that it runs in. */
export interface IdentitySettings {
  /** Origin that browsers see; null: the address that the gateway listens at. */
  readonly publicUrl: string | null;
  /** Keys of 32 bytes that encrypt what is stored, the newest first. */
  readonly keys: readonly [Buffer, ...Buffer[]];
  /** Logins under way: anyone may start one, so they must not crowd out sessions. */
  readonly logins: ExactStore;
  readonly sessions: ExactStore;
  /** Milliseconds since 1970. */
  now(): number;
}

export interface IdentityOptions extends IdentitySettings {
  /** The waste-identity subgraph. */
  readonly source: Source;
  readonly crossOrigin: CrossOrigin;
  readonly corsOrigins: readonly string[];
  readonly mintCredential: MintCredential;
  readonly deadlineMs: number;
  readonly log: Log;
}

/** The session that a GraphQL request acts with. */
export interface CallerSession {
  /** The platform's token of its user; null when it was lost or cannot be looked up. */
  readonly credential: Credential | null;
  /**
   * The errors of the answer as the caller should see them. When the platform refused the token, the session is marked
   * "reconnect".
   */
  settle(errors: Errors): Promise<Errors>;
}

type Errors = readonly GraphQLFormattedError[] | undefined;

/** Logins and sessions of browsers, which get an opaque cookie and never a token (architecture 7). */
export interface Identity {
  serve(server: FastifyInstance): void;
  /** Told once, when the gateway listens: where. */
  listensAt(url: string): void;
  /**
   * The session of the cookie that came with a GraphQL request; null without one. Never fails because sessions cannot
   * be looked up: the other sources still answer. Throws a RequestError when a page of another site may have sent it.
   */
  sessionOf(headers: RequestHeaders): Promise<CallerSession | null>;
}

/** Puts together what logging in consists of. */
export function createIdentity(options: IdentityOptions): Identity {
  const { now, log, crossOrigin, mintCredential, deadlineMs } = options;
  let origin = options.publicUrl ?? '';
  const publicUrl = () => origin;
  const vault = createTokenVault(options.keys);
  const cookies = createCookies(origin.startsWith('https:'), LOGIN_MS);
  const guard = createCrossSiteGuard(options.corsOrigins, publicUrl);
  const sessions = createSessions({ store: options.sessions, vault, now });
  const logins = createLogins({
    platform: createPlatform(options.source),
    transactions: createTransactions({ store: options.logins, vault, now }),
    sessions,
    mintCredential,
    deadlineMs,
    redirectUri: () => `${origin}${CALLBACK_PATH}`,
  });

  function actAs({ key, token }: Session): CallerSession {
    if (token === null) return withoutToken(RECONNECT);
    return {
      credential: mintCredential(token.reveal()),
      async settle(errors) {
        if (errors?.some((error) => isOfThePlatform(error, 'RECONNECT_REQUIRED')) === true) {
          await sessions.lose(key).catch((error) => log.error({ err: error }, 'a lost token could not be marked'));
        }
        return errors;
      },
    };
  }

  return {
    serve: (server) => serveAuth(server, { logins, sessions, cookies, guard, crossOrigin, log, publicUrl }),
    listensAt(url) {
      origin = options.publicUrl ?? url;
    },
    async sessionOf(headers) {
      const id = cookies.session(headers);
      if (id === null) return null;
      guard.refuseForgedRequest(headers);
      try {
        const session = await sessions.find(id);
        return session === null ? null : actAs(session);
      } catch (error) {
        log.error({ err: error }, 'the sessions cannot be reached');
        return withoutToken(AWAY);
      }
    },
  };
}

interface Excuse {
  readonly code: ErrorCode;
  readonly message: string;
}

const RECONNECT: Excuse = {
  code: 'RECONNECT_REQUIRED',
  message: 'The waste platform no longer accepts the token of this session: log in again.',
};

/** Logging in again would not help, and would not work either. */
const AWAY: Excuse = {
  code: 'UPSTREAM_UNAVAILABLE',
  message: 'Sessions cannot be looked up at the moment, so the caller is unknown: try again later.',
};

/** The subgraph sees a caller who never logged in and reports CREDENTIALS_REQUIRED; the caller gets the real reason. */
function withoutToken({ code, message }: Excuse): CallerSession {
  const tellWhy = (error: GraphQLFormattedError): GraphQLFormattedError =>
    isOfThePlatform(error, 'CREDENTIALS_REQUIRED')
      ? { ...error, message, extensions: { ...error.extensions, code } }
      : error;
  return { credential: null, settle: async (errors) => errors?.map(tellWhy) };
}

function isOfThePlatform({ extensions }: GraphQLFormattedError, code: string): boolean {
  return extensions?.['code'] === code && extensions['service'] === 'waste-identity';
}
