import type { UpstreamRequest } from './upstream.js';

/** Whether a call changes something at the service. If so it is sent only once, and invalidates the key's entries. */
export function isWrite({ method, write }: UpstreamRequest<unknown>): boolean {
  return write ?? method !== 'GET';
}
