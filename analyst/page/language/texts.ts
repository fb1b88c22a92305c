import { useStore } from '../store/store.js';
import { type Language, language } from './language.js';

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

const frenchTexts = new WeakMap<object, unknown>();

/** The texts in a language, the same object at every call; in French with the typographic spaces. */
function written<T>(texts: Texts<T>, spoken: Language): T {
  if (spoken !== 'fr') return texts[spoken];
  const known = frenchTexts.get(texts) ?? withFrenchSpaces(texts.fr);
  frenchTexts.set(texts, known);
  return known as T;
}

/** A narrow no-break space, used before `:`, `;`, `?`, `!` and `»`, and after `«`. */
const NARROW = '\u202f';

function withFrenchSpaces(texts: unknown): unknown {
  if (typeof texts === 'string') return texts.replaceAll(/ (?=[:;?!»])|(?<=«) /g, NARROW);
  if (typeof texts === 'function') return (...values: unknown[]) => withFrenchSpaces(texts(...values));
  if (texts === null || typeof texts !== 'object' || Object.getPrototypeOf(texts) !== Object.prototype) return texts;
  return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, withFrenchSpaces(text)]));
}
