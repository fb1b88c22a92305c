import type { UpstreamRequest } from './upstream.js';

/** Whether a call changes something at the service: then it is sent once, and invalidates the key's cache entries. */
export function isWrite({ method, write }: UpstreamRequest<unknown>): boolean {
  return write ?? method !== 'GET';
}
