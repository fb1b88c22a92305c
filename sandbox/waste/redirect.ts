import { type Answer, textAnswer } from '../kit/answer.js';
import { escapeHtml } from '../kit/express.js';
import type { ServiceRequest } from '../kit/routes.js';

/** Express's redirect: the address is in the body too, a code in it included (waste-identity 3.4). */
export function foundAt(location: string, request: ServiceRequest): Answer {
  const wantsHtml = request.headers.accept?.includes('text/html') === true;
  const text = `Found. Redirecting to ${wantsHtml ? escapeHtml(location) : location}`;
  const answer = wantsHtml ? textAnswer(302, `<p>${text}</p>`, 'text/html; charset=utf-8') : textAnswer(302, text);
  return { ...answer, headers: { ...answer.headers, location, vary: 'Origin, Accept' } };
}
