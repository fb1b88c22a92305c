import { Button } from './elements/button.js';
import { EXAMPLES } from './examples/catalogue.js';
import { defineTexts, LANGUAGES, type Language, language, textsNow } from './state/language.js';
import { dismissNotice, noticeIn, notify, page, type Say } from './state/page-state.js';
import { useStore } from './state/store.js';

const NAMES = { en: 'English', fr: 'Français' } as const;

const TEXTS = defineTexts({
  en: {
    title: 'Passerelle: query the graph',
    editorLater: 'The editor’s own menu follows when the page is reloaded.',
  },
  fr: {
    title: 'Passerelle : interroger le graphe',
    editorLater: 'Le menu de l’éditeur suivra quand la page sera rechargée.',
  },
});

const editorLater: Say = () => textsNow(TEXTS).editorLater;

/** Switches the page to the other language. */
export function LanguageSwitch() {
  const current = useStore(language);
  const choose = (chosen: Language): void => {
    chooseLanguage(chosen);
    const ofEditor: Language = window.editorTexts === undefined ? 'en' : 'fr';
    const said = noticeIn(page.get());
    // Any other notice, such as that pages are missing, matters more than the editor's menu.
    if (said !== null && said !== editorLater) return;
    if (chosen === ofEditor) dismissNotice();
    else notify(editorLater);
  };
  const other = LANGUAGES.find((one) => one !== current) ?? current;
  // The same button in both languages, so that it keeps the focus.
  return (
    <Button className="pa-top" lang={other} onClick={() => choose(other)}>
      {NAMES[other]}
    </Button>
  );
}

const STORED = 'passerelle:language';

/**
 * Sets the language that was chosen earlier, or else the first of the browser's languages that the page has. Resolves
 * when the editor may be loaded, since it reads its texts at that point.
 */
export async function startLanguage(): Promise<void> {
  const wanted = [window.localStorage.getItem(STORED), ...window.navigator.languages.map((tag) => tag.slice(0, 2))];
  const chosen = wanted.find(isLanguage) ?? 'en';
  set(chosen);
  // Without the files, the page is French and the editor's menu English.
  if (chosen === 'fr') await translateEditor().catch(() => {});
}

/** Makes the editor French. It reads most texts while it loads; afterwards, only those that it reads again change. */
async function translateEditor(): Promise<void> {
  const [texts, french] = await Promise.all([import('virtual:editor-texts'), import('./graphiql/french.js')]);
  window.editorTexts = { ...texts.default, ...french.EDITOR_COMMANDS };
}

/** Sets the language and remembers it in this browser. */
function chooseLanguage(chosen: Language): void {
  window.localStorage.setItem(STORED, chosen);
  set(chosen);
}

function set(chosen: Language): void {
  document.documentElement.lang = chosen;
  document.title = TEXTS[chosen].title;
  language.set(chosen);
  void translate(chosen);
}

let stopTranslating = (): void => {};

/** GraphiQL's own texts in French are loaded only for those who read them. */
async function translate(chosen: Language): Promise<void> {
  const french = chosen === 'fr' ? await import('./graphiql/french.js') : null;
  if (language.get() !== chosen) return;
  stopTranslating();
  stopTranslating = french?.translateGraphiql(EXAMPLES) ?? (() => {});
}

function isLanguage(tag: string | null): tag is Language {
  return LANGUAGES.some((known) => known === tag);
}
