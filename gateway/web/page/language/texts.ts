import { useStore } from '../store/store.js';
import { type Language, language } from './language.js';

/** The texts of some components in every language. */
export type Texts<T> = Readonly<Record<Language, T>>;

/** Texts in every language; the type fails where French lacks one that English has, or has one more. */
export function defineTexts<T>(texts: { readonly en: T; readonly fr: NoInfer<T> }): Texts<T> {
  return texts;
}

/** The texts in the page's language; the component is rendered again when it changes. */
export function useTexts<T>(texts: Texts<T>): T {
  return texts[useStore(language)];
}

/** The texts in the page's language, for messages outside of components. */
export function textsNow<T>(texts: Texts<T>): T {
  return texts[language.get()];
}
