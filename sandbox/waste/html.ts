import { type Answer, textAnswer } from '../kit/answer.js';
import type { ServiceRequest } from '../kit/routes.js';

/** Express's redirect: the address is in the body too, a code in it included (waste-identity 3.4). */
export function foundAt(location: string, request: ServiceRequest): Answer {
  const wantsHtml = request.headers.accept?.includes('text/html') === true;
  const text = `Found. Redirecting to ${wantsHtml ? escapeHtml(location) : location}`;
  const answer = wantsHtml ? textAnswer(302, `<p>${text}</p>`, 'text/html; charset=utf-8') : textAnswer(302, text);
  return { ...answer, headers: { ...answer.headers, location, vary: 'Origin, Accept' } };
}

/** Express's own error page in production: the status in words (waste-identity 3.4). */
export function expressErrorPage(status: number, words: string): Answer {
  const page = `<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<title>Error</title>\n</head>\n<body>\n<pre>${words}</pre>\n</body>\n</html>\n`;
  return textAnswer(status, page, 'text/html; charset=utf-8');
}

/** The text as it may stand in HTML, in an attribute's quotes too. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
