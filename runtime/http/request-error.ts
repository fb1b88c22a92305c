import { CodedError, type RefusedOperation } from '../../kernel/errors.js';
import type { RequestHeaders } from './request-headers.js';

/** The refusal of a request before an operation runs, with status and message of the response. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  /** `code` defaults to Apollo's BAD_REQUEST. */
  constructor(
    status: number,
    message: string,
    { code = 'BAD_REQUEST', headers = {} }: { code?: string; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.name = 'RequestError';
    this.status = status;
    this.code = code;
    this.headers = headers;
  }
}

/** Whether an error itself says what its caller may see. */
export function isRefusal(error: unknown): error is RequestError | CodedError {
  return error instanceof RequestError || error instanceof CodedError;
}

/** A request that never became an operation, and its error. */
export interface RefusedRequest {
  readonly code: string;
  readonly status: number;
  readonly requestId: string;
  readonly headers: RequestHeaders;
  /** The operation that is refused, if the refusal is about one. */
  readonly operation?: RefusedOperation | undefined;
  /** Milliseconds since its arrival. */
  readonly ms: number;
}
