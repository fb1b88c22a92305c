/** What OpenSSL says of a first byte that is text. */
const NO_TLS: ReadonlySet<unknown> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** Whether a connection by https failed because the server speaks http. */
export function speaksHttp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_TLS.has(error.code);
}
