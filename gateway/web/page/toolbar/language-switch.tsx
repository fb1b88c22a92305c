import { chooseLanguage } from '../language/choose-language.js';
import { LANGUAGES, language } from '../language/language.js';
import { useStore } from '../store/store.js';

const NAMES = { en: 'English', fr: 'Français' } as const;

/** Switches the page to the other language. */
export function LanguageSwitch() {
  const current = useStore(language);
  return LANGUAGES.filter((other) => other !== current).map((other) => (
    <button key={other} type="button" className="pa-top" lang={other} onClick={() => chooseLanguage(other)}>
      {NAMES[other]}
    </button>
  ));
}
