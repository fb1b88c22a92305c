/** A request that is refused before any operation runs: the status and message of its response. */
export class RequestError extends Error {
  readonly status: number;
  readonly code: string;
  readonly headers: Readonly<Record<string, string>>;

  /** `code` is Apollo's BAD_REQUEST unless a row of the error table says more. */
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
