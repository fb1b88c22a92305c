import { Secret } from '../credentials/secret.js';
import type { ConfigurationReader } from './configuration-reader.js';
import { percentDecoded } from './percent-decoded.js';

/** Address of the store that replicas share; null if there is none. */
export function readCacheUrl(read: ConfigurationReader): Secret | null {
  const address = read.text('CACHE_URL');
  if (address === null) return null;
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^rediss?:$/.test(url.protocol)) {
    read.mistake('CACHE_URL must be an address that begins with redis:// or rediss://');
  } else if (percentDecoded(url.username) === null || percentDecoded(url.password) === null) {
    // The client decodes both, and the process would end if it cannot.
    read.mistake('CACHE_URL must have user and password percent-encoded');
  } else if (!/^(\/\d{0,9})?$/.test(url.pathname)) {
    read.mistake('CACHE_URL must end with the number of a database, or with none');
  }
  return new Secret(address);
}
