import { LANGUAGES, type Language, language } from './language.js';

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
