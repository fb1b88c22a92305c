import type { IncomingHttpHeaders } from 'node:http';
import type { ClientApplication } from './applications.js';
import type { Fields } from './fields.js';
import type { Platform } from './platform.js';

/** Why no application was recognised; only a malformed Basic header is a bad request (waste-identity 4.3). */
export type ClientRefusal = 'unauthorized' | 'bad-request';

/** Finds the application by Basic header or, failing that, by `client_id` and `client_secret` in the body (4.1). */
export function authenticateClient(
  headers: IncomingHttpHeaders,
  fields: Fields,
  platform: Platform,
): ClientApplication | ClientRefusal {
  const basic = basicCredentials(headers.authorization);
  const byHeader = basic === null || basic === 'malformed' ? undefined : find(basic.id, basic.secret, platform);
  const client = byHeader ?? find(fields['client_id'], fields['client_secret'], platform);
  if (client !== undefined) return client;
  return basic === 'malformed' ? 'bad-request' : 'unauthorized';
}

/**
 * Splits at spaces, then at colons, and never percent-decodes, so a colon in a secret breaks it (waste-identity 4.1).
 */
function basicCredentials(header: string | undefined): { id: string; secret: string } | 'malformed' | null {
  const [scheme = '', payload] = header?.split(' ') ?? [];
  if (!/^basic$/i.test(scheme)) return null;
  if (!payload) return 'malformed';
  const [id = '', secret] = Buffer.from(payload, 'base64').toString('utf8').split(':');
  return secret === undefined ? 'malformed' : { id, secret };
}

function find(id: unknown, secret: unknown, platform: Platform): ClientApplication | undefined {
  const application = typeof id === 'string' ? platform.applications.get(id) : undefined;
  return application !== undefined && application.secret === secret ? application : undefined;
}
