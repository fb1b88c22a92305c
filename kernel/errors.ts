import { GraphQLError } from 'graphql';
import type { ServiceName } from './services.js';

const CHECK_WRITES = 'yes; a write may have been done: check first';

/** One row of the error table: what a code means to a caller and what they can do about it. */
interface ErrorRow {
  /** What it means, in words that a caller may read. */
  readonly meaning: string;
  /** HTTP status of a request that fails as a whole with this code. */
  readonly httpStatus: number;
  /** Whether sending the same request again may help. */
  readonly retry: 'no' | 'yes' | typeof CHECK_WRITES | 'after the time' | 'after login';
  /** Whether the client is not to blame: an operation without an answer `failed`, others were `refused`. */
  readonly isFault?: true;
}

/** Every code of our own. GraphQL's and Apollo's codes are left unchanged. Retired codes are never reused. */
export const ERRORS = {
  BAD_USER_INPUT: {
    meaning: 'A malformed code, an argument out of range or a forged cursor.',
    httpStatus: 400,
    retry: 'no',
  },
  CURSOR_EXPIRED: {
    meaning: 'A newer export has replaced the one that was read: begin the list again, without its cursor.',
    httpStatus: 400,
    retry: 'no',
  },
  CREDENTIALS_REQUIRED: { meaning: 'The field needs a key or a login of your own.', httpStatus: 401, retry: 'no' },
  CREDENTIALS_REJECTED: {
    meaning: 'The service refused the key or token that you sent.',
    httpStatus: 401,
    retry: 'no',
  },
  PERMISSION_DENIED: {
    meaning:
      'The service knows you, but you lack this right. Without `service`, this gateway refuses: the operation is not ' +
      'on its list of allowed operations, or you may not request a dry run.',
    httpStatus: 403,
    retry: 'no',
  },
  RECONNECT_REQUIRED: {
    meaning: 'The waste platform no longer accepts the token: log in again.',
    httpStatus: 401,
    retry: 'after login',
  },
  RATE_LIMITED: {
    meaning: 'The call quota of this window is spent, or too many rows are being read: see retryAfterSeconds.',
    httpStatus: 429,
    retry: 'after the time',
    isFault: true,
  },
  TOO_MANY_REQUESTS: {
    meaning:
      'You have made too many requests, or upstream calls, within a minute, or too many of your operations are queued: ' +
      'see Retry-After.',
    httpStatus: 429,
    retry: 'after the time',
  },
  COST_EXCEEDED: {
    meaning: 'It would take more calls to the services than one request may make.',
    httpStatus: 400,
    retry: 'no',
  },
  NOT_CACHED: {
    meaning: 'A dry run would have to call the service for this value. No response has this code.',
    httpStatus: 200,
    retry: 'no',
  },
  BUSINESS_QUOTA: { meaning: "The service's own limit on this write is reached.", httpStatus: 429, retry: 'no' },
  UPSTREAM_REFUSED_INPUT: { meaning: 'The service found the request invalid.', httpStatus: 400, retry: 'no' },
  UPSTREAM_UNAVAILABLE: {
    meaning: 'The service is down or responds with an error.',
    httpStatus: 503,
    retry: CHECK_WRITES,
    isFault: true,
  },
  UPSTREAM_TIMEOUT: {
    meaning: 'The service took too long.',
    httpStatus: 504,
    retry: CHECK_WRITES,
    isFault: true,
  },
  UPSTREAM_INVALID_RESPONSE: {
    meaning: 'The service sent a body that cannot be read, or a field of the wrong type.',
    httpStatus: 502,
    retry: 'no',
    isFault: true,
  },
  SOURCE_OFF: {
    meaning: "The service is not configured here, or refuses the operator's key.",
    httpStatus: 503,
    retry: 'no',
    isFault: true,
  },
  ANSWER_TOO_LARGE: {
    meaning: 'The response would be larger than this gateway sends: select fewer items or fields.',
    httpStatus: 400,
    retry: 'no',
  },
  DEADLINE_EXCEEDED: {
    meaning: 'The deadline of the request was exceeded.',
    httpStatus: 504,
    retry: CHECK_WRITES,
    isFault: true,
  },
  GATEWAY_UNAVAILABLE: {
    meaning:
      'This gateway cannot do this at the moment: its session store is unreachable, too many large bodies arrive at once, or the daily export is not loaded yet.',
    httpStatus: 503,
    retry: 'yes',
    isFault: true,
  },
  INTERNAL: { meaning: 'An internal error of this gateway.', httpStatus: 500, retry: 'no', isFault: true },
} as const satisfies Record<string, ErrorRow>;

/** A key of `ERRORS`, as clients read it in `extensions.code`. */
export type ErrorCode = keyof typeof ERRORS;

/** Codes of calls that the service itself failed. Any other result, such as a refused input, shows that it answers. */
export const OUTAGES: ReadonlySet<string | undefined> = new Set<ErrorCode>([
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_INVALID_RESPONSE',
]);

/** An operation by its name and the SHA-256 of its text, each undefined if unknown. */
export interface RefusedOperation {
  readonly operation: string | undefined;
  readonly operationHash: string | undefined;
}

/** What an error carries besides its code and message. */
export interface CodedErrorDetails {
  /** The service that the error is about; absent for a caller's error or an internal one. */
  readonly service?: ServiceName | undefined;
  /** Whole seconds until a retry may succeed. */
  readonly retryAfterSeconds?: number | undefined;
  /** Path of the argument that is refused: names of arguments and input fields, and indexes of lists. */
  readonly argument?: readonly (string | number)[] | undefined;
  /** Further mistakes in the arguments of the same field: errors of their own in the response. */
  readonly further?: readonly CodedError[] | undefined;
  /** The operation that is refused, where its caller has to find out which of theirs it is. */
  readonly refused?: RefusedOperation | undefined;
  /** Evidence for the log; never leaves the process. */
  readonly cause?: unknown;
}

/**
 * An error that a caller may see: a code of the table, a safe message, and what is needed to act on it.
 * The cause is for the log only, and stays out of `extensions`.
 */
export class CodedError extends GraphQLError {
  readonly code: ErrorCode;
  readonly refused: RefusedOperation | undefined;
  readonly further: readonly CodedError[];

  constructor(code: ErrorCode, message: string, details: CodedErrorDetails = {}) {
    const { service, retryAfterSeconds, argument, further = [], refused, cause } = details;
    // A stack trace of a caller's error is useless, and costs more than the field that failed.
    const { stackTraceLimit } = Error;
    if (code !== 'INTERNAL') Error.stackTraceLimit = 0;
    // JSON leaves out what is undefined.
    super(message, { extensions: { code, service, retryAfterSeconds, argument, ...refused } });
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'CodedError';
    this.code = code;
    this.refused = refused;
    this.further = further;
    Object.defineProperty(this, 'cause', { value: cause, enumerable: false });
  }
}

/** Creates errors without stacks: a response may list a thousand, and their stacks would cost more than its data. */
export function withoutStack<T>(make: () => T): T {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}
