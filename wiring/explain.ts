import { ConfigurationError } from '../runtime/configuration/configuration.js';

/** One line about an error that an operator can fix; null for any other, which is an internal error. */
export function explain(error: unknown): string | null {
  if (error instanceof ConfigurationError) return error.message;
  const { code, address, port } = error as { code?: unknown; address?: unknown; port?: unknown };
  if (code === 'EADDRINUSE') return `Port ${port} on ${address} is taken: set PORT or METRICS_PORT to another one.`;
  if (code === 'ENOTFOUND') return 'HOST or METRICS_HOST is not an address of this machine.';
  return code === 'EADDRNOTAVAIL' ? `This machine has no address ${address}: set HOST or METRICS_HOST.` : null;
}
