import texts from 'virtual:editor-texts';
import { EDITOR_COMMANDS } from './graphiql-words.js';

/** Makes the editor French. It reads most of its texts while it loads: later, only what it reads anew changes. */
export function translateEditor(): void {
  window.editorTexts = { ...texts, ...EDITOR_COMMANDS };
}
