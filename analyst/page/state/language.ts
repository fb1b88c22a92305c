import { createStore, memoized, useStore } from './store.js';

/** The languages of the page. */
export const LANGUAGES = ['en', 'fr'] as const;
/** One of the languages. */
export type Language = (typeof LANGUAGES)[number];

/** The language of the page. */
export const language = createStore<Language>('en');

/** The texts of some components in every language. */
export type Texts<T> = Readonly<Record<Language, T>>;

/** Texts in every language; a type error if French lacks a text that English has, or has one more. */
export function defineTexts<T>(texts: { readonly en: T; readonly fr: NoInfer<T> }): Texts<T> {
  return texts;
}

/** The texts in the page's language; the component is rendered again when it changes. */
export function useTexts<T>(texts: Texts<T>): T {
  return written(texts, useStore(language));
}

/** The texts in the page's language, for messages outside of components. */
export function textsNow<T>(texts: Texts<T>): T {
  return written(texts, language.get());
}

/** The texts in a language, the same object at every call; in French with the typographic spaces. */
function written<T>(texts: Texts<T>, spoken: Language): T {
  return spoken === 'fr' ? (frenchTexts(texts) as T) : texts[spoken];
}

const frenchTexts = memoized(({ fr }: Texts<unknown>) => withFrenchSpaces(fr));

/** A narrow no-break space, used before `:`, `;`, `?`, `!` and `»`, after `«`, and between a number and its unit. */
const NARROW = '\u202f';
const PRINTED_NARROW = / (?=[:;?!»])|(?<=«) |(?<=\d) (?=(?:km|h|min|m?s|[kM]?o|%)(?!\p{L}))/gu;

function withFrenchSpaces(texts: unknown): unknown {
  if (typeof texts === 'string') return texts.replaceAll(PRINTED_NARROW, NARROW);
  if (typeof texts === 'function') return (...values: unknown[]) => withFrenchSpaces(texts(...values));
  if (texts === null || typeof texts !== 'object' || Object.getPrototypeOf(texts) !== Object.prototype) return texts;
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, withFrenchSpaces(text)]));
}

/** A number with its noun in English: `1 row`, `1,902 rows`. */
export function countInEnglish(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : many}`;
}

/** A number with its noun in French, where zero is singular: `0 ligne`, `1 902 lignes`. */
export function countInFrench(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString('fr')} ${Math.abs(count) < 2 ? one : many}`;
}

const STORED = 'passerelle:language';

/** Sets the language that was chosen earlier, or else the first of the browser's languages that the page has. */
export function startLanguage(): void {
  const wanted = [window.localStorage.getItem(STORED), ...window.navigator.languages.map((tag) => tag.slice(0, 2))];
  set(wanted.find(isLanguage) ?? 'en');
}

/** Sets the language and remembers it in this browser. */
export function chooseLanguage(chosen: Language): void {
  window.localStorage.setItem(STORED, chosen);
  set(chosen);
}

function set(chosen: Language): void {
  document.documentElement.lang = chosen;
  language.set(chosen);
}

function isLanguage(tag: string | null): tag is Language {
  return LANGUAGES.some((known) => known === tag);
}
