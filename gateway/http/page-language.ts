import type { FastifyRequest } from 'fastify';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { readChoices } from './negotiation.js';

/** The languages that pages are served in; the first is for browsers that want neither. */
export const PAGE_LANGUAGES = ['en', 'fr'] as const;
/** One of the languages. */
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The language of a page: from `?lang=fr`, else the one that the browser prefers. */
export function pageLanguage({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): PageLanguage {
  const { lang } = query as { readonly lang?: unknown };
  return known(lang) ?? preferred(oneHeader(headers, 'accept-language') ?? '');
}

/** The headers of a page in a language; `Vary` makes caches store each language separately. */
export function languageHeaders(language: PageLanguage): Record<string, string> {
  return { 'content-language': language, vary: 'Accept-Language' };
}

/** The known language that an `Accept-Language` prefers (RFC 9110, 12.5.4), the first among equals. */
function preferred(accepted: string): PageLanguage {
  for (const { name } of readChoices(accepted)) {
    const language = known(name.split('-', 1)[0]);
    if (language !== undefined) return language;
  }
  return PAGE_LANGUAGES[0];
}

function known(tag: unknown): PageLanguage | undefined {
  return PAGE_LANGUAGES.find((language) => language === tag);
}
