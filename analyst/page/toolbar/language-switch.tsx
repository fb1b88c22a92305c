import { chooseLanguage } from '../language/choose-language.js';
import { LANGUAGES, type Language, language } from '../language/language.js';
import { textsNow } from '../language/texts.js';
import { dismissNotice, noticeNow, notify, type Say } from '../state/page-state.js';
import { useStore } from '../store/store.js';
import { TOOLBAR_TEXTS } from './texts.js';

const NAMES = { en: 'English', fr: 'Français' } as const;

const editorLater: Say = () => textsNow(TOOLBAR_TEXTS).editorLater;

/** Switches the page to the other language. */
export function LanguageSwitch() {
  const current = useStore(language);
  const choose = (chosen: Language): void => {
    chooseLanguage(chosen);
    const ofEditor: Language = window.editorTexts === undefined ? 'en' : 'fr';
    const said = noticeNow();
    // Any other notice, such as that pages are missing, matters more than the editor's menu.
    if (said !== null && said !== editorLater) return;
    if (chosen === ofEditor) dismissNotice();
    else notify(editorLater);
  };
  const other = LANGUAGES.find((one) => one !== current) ?? current;
  // The same button in both languages, so that it keeps the focus.
  return (
    <button type="button" className="pa-top" lang={other} onClick={() => choose(other)}>
      {NAMES[other]}
    </button>
  );
}
