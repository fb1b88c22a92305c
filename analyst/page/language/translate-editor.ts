import texts from 'virtual:editor-texts';
import { EDITOR_COMMANDS } from './graphiql-words.js';

/** Makes the editor French. It reads most texts while it loads; afterwards, only those that it reads again change. */
export function translateEditor(): void {
  window.editorTexts = { ...texts, ...EDITOR_COMMANDS };
}
