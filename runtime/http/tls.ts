import { once } from 'node:events';
import { connect } from 'node:tls';

/** What OpenSSL says of a first byte that is text. */
const NO_TLS: ReadonlySet<unknown> = new Set(['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']);

/** Whether a connection by https failed because the server speaks http. */
export function speaksHttp(error: unknown): boolean {
  return error instanceof Error && 'code' in error && NO_TLS.has(error.code);
}

/** Whether the server at an address by http speaks TLS; false of one by https, or if it does not answer in time. */
export async function speaksHttps({ protocol, hostname, port }: URL, limitMs: number): Promise<boolean> {
  if (protocol !== 'http:') return false;
  // Nothing is sent, so it does not matter whose certificate it is.
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false, timeout: limitMs });
  socket.once('timeout', () => socket.destroy(new Error('No answer.')));
  try {
    await once(socket, 'secureConnect');
    return true;
  } catch (error) {
    // A server that refuses the handshake, for want of a certificate of ours, speaks it too.
    return String((error as NodeJS.ErrnoException).code).startsWith('ERR_SSL') && !speaksHttp(error);
  } finally {
    socket.destroy();
  }
}
