import type { FastifyRequest } from 'fastify';

/** The languages that pages are served in; the first is for browsers that want neither. */
export const PAGE_LANGUAGES = ['en', 'fr'] as const;
/** One of the languages. */
export type PageLanguage = (typeof PAGE_LANGUAGES)[number];

/** The language of a page: from `?lang=fr`, else the one that the browser prefers. */
export function pageLanguage({ query, headers }: Pick<FastifyRequest, 'query' | 'headers'>): PageLanguage {
  const { lang } = query as { readonly lang?: unknown };
  return known(lang) ?? preferred(headers['accept-language'] ?? '');
}

/** The headers of a page in a language; `Vary` makes caches store each language separately. */
export function languageHeaders(language: PageLanguage): Record<string, string> {
  return { 'content-language': language, vary: 'Accept-Language' };
}

/** The known language with the greatest weight in an `Accept-Language` (RFC 9110, 12.5.4), the first among equals. */
function preferred(accepted: string): PageLanguage {
  const weighed = accepted.split(',').flatMap((range) => {
    const [, tag = '', weight = '1'] = /^\s*([a-z]+)(?:-[\w-]*)?\s*(?:;\s*q=([\d.]+))?\s*$/i.exec(range) ?? [];
    const language = known(tag.toLowerCase());
    return language === undefined || Number(weight) === 0 ? [] : [{ language, weight: Number(weight) }];
  });
  return weighed.sort((one, other) => other.weight - one.weight)[0]?.language ?? PAGE_LANGUAGES[0];
}

function known(tag: unknown): PageLanguage | undefined {
  return PAGE_LANGUAGES.find((language) => language === tag);
}
