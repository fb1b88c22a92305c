import { LANGUAGES, type Language, language } from './language.js';

const TITLES: Readonly<Record<Language, string>> = {
  en: 'Passerelle: query the graph',
  fr: 'Passerelle : interroger le graphe',
};

const STORED = 'passerelle:language';

/**
 * Sets the language that was chosen earlier, or else the first of the browser's languages that the page has. Resolves
 * when the editor may be loaded, since it reads its texts at that point.
 */
export async function startLanguage(): Promise<void> {
  const wanted = [window.localStorage.getItem(STORED), ...window.navigator.languages.map((tag) => tag.slice(0, 2))];
  const chosen = wanted.find(isLanguage) ?? 'en';
  set(chosen);
  // Without the file, the page is French and the editor's menu English.
  if (chosen === 'fr')
    await import('./translate-editor.js').then(
      (editor) => editor.translateEditor(),
      () => {},
    );
}

/** Sets the language and remembers it in this browser. */
export function chooseLanguage(chosen: Language): void {
  window.localStorage.setItem(STORED, chosen);
  set(chosen);
}

function set(chosen: Language): void {
  document.documentElement.lang = chosen;
  document.title = TITLES[chosen];
  language.set(chosen);
  void translate(chosen);
}

let stopTranslating = (): void => {};

/** GraphiQL's own texts in French are loaded only for those who read them. */
async function translate(chosen: Language): Promise<void> {
  const french = chosen === 'fr' ? await import('./translate-graphiql.js') : null;
  if (language.get() !== chosen) return;
  stopTranslating();
  stopTranslating = french?.translateGraphiql() ?? (() => {});
}

function isLanguage(tag: string | null): tag is Language {
  return LANGUAGES.some((known) => known === tag);
}
