import { escapeHtml } from '../server/express.js';
import { type Reply, textReply } from '../server/reply.js';
import type { ServiceRequest } from '../server/routes.js';

/** Express's redirect: the body repeats the address, including any code (waste-identity 3.4). */
export function foundAt(location: string, request: ServiceRequest): Reply {
  const wantsHtml = request.headers.accept?.includes('text/html') === true;
  const text = `Found. Redirecting to ${wantsHtml ? escapeHtml(location) : location}`;
  const reply = wantsHtml ? textReply(302, `<p>${text}</p>`, 'text/html; charset=utf-8') : textReply(302, text);
  return { ...reply, headers: { ...reply.headers, location, vary: 'Origin, Accept' } };
}
