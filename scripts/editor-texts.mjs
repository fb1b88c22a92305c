// Translations of the editor (Monaco): its package has them only for its AMD build, by numbers that the modules we
// bundle do not have. Here they are looked up by their English text.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createContext, runInContext, runInNewContext } from 'node:vm';
import { root } from './stale.mjs';

const NAME = 'virtual:editor-texts';
const FOLDER = join(root, 'node_modules/monaco-editor/dev/vs');

const LITERAL = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`/.source;
const NUMBERED = new RegExp(`localize2?\\)?\\((\\d+), (${LITERAL})`, 'g');

/** The editor's French texts, by their English ones. */
function frenchTexts() {
  const french = messages(readFileSync(join(FOLDER, 'nls.messages.fr.js'), 'utf8'));
  const texts = {};
  for (const [, number, literal] of readFileSync(join(FOLDER, 'editor/editor.main.js'), 'utf8').matchAll(NUMBERED)) {
    const text = french[Number(number)];
    if (text) texts[runInNewContext(literal)] ??= text;
  }
  if (Object.keys(texts).length < 1000) throw new Error('The editor’s translations are not where they were.');
  return texts;
}

function messages(source) {
  const context = createContext({ define: (_, run) => run() });
  runInContext(source, context);
  return context['_VSCODE_NLS_MESSAGES'];
}

/** Code that looks up a text of the editor, given its English form as source. */
const lookUp = (english) => `(globalThis.editorTexts?.[${english}] ?? ${english})`;

/** Makes the editor look its texts up in `globalThis.editorTexts`; `virtual:editor-texts` exports the French ones. */
export function translateEditor() {
  return {
    name: 'translate-editor',
    resolveId: (id) => (id === NAME ? `\0${NAME}` : null),
    load: (id) => (id === `\0${NAME}` ? `export default ${JSON.stringify(frenchTexts())}` : null),
    transform(code, id) {
      if (/monaco-editor\/esm\/vs\/nls\.js$/.test(id)) {
        return replaced(code, /(?<!function )_format\(message, args\)/g, `_format(${lookUp('message')}, args)`);
      }
      // The commands that GraphiQL adds to the editor's menu: their labels are read when an editor is created.
      if (/@graphiql\/react\/dist\/constants\.js$/.test(id)) {
        return replaced(code, /label: ("[^"]+")/g, `get label() { return ${lookUp('$1')}; }`);
      }
      return null;
    },
  };
}

function replaced(code, pattern, by) {
  const changed = code.replace(pattern, by);
  if (changed === code) throw new Error(`Nothing matches ${pattern}: the editor has changed.`);
  return changed;
}
