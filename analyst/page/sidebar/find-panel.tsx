import { useGraphiQL } from '@graphiql/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { Some } from '../elements/controls.js';
import { useTexts } from '../state/language.js';
import { useOpenQuery } from '../tabs/editors.js';
import { type FoundField, findFields, pathsToTypes, queryOf } from './paths.js';
import { SIDEBAR_TEXTS } from './texts.js';

/** Fields that are shown before the list is expanded. */
const FIELDS = 30;
/** Paths that are shown before the list is expanded. */
const PATHS = 5;

/** Finds a word anywhere in the schema, and all paths to it from the root. */
export function FindPanel() {
  const schema = useGraphiQL((state) => state.schema);
  const texts = useTexts(SIDEBAR_TEXTS);
  const [word, setWord] = useState('');
  const searched = useDeferredValue(word);
  const paths = useMemo(() => (schema ? pathsToTypes(schema) : new Map()), [schema]);
  const found = useMemo(() => (schema ? findFields(schema, paths, searched) : []), [schema, paths, searched]);
  return (
    <div className="pa-panel">
      <h2>{texts.findTitle}</h2>
      <label>
        {texts.word}{' '}
        <input type="search" value={word} placeholder="SIRET" onChange={({ target }) => setWord(target.value)} />
      </label>
      <p role="status">{searched.trim() === '' ? texts.findHint : texts.fields(found.length)}</p>
      <ul className="pa-found" key={searched}>
        <Some of={found} first={FIELDS} more={texts.moreFields}>
          {(field) => (
            <li key={`${field.type}.${field.field}`}>
              <Found found={field} />
            </li>
          )}
        </Some>
      </ul>
    </div>
  );
}

function Found({ found: { type, field, returns, description, paths } }: { found: FoundField }) {
  const open = useOpenQuery();
  const texts = useTexts(SIDEBAR_TEXTS);
  return (
    <>
      <strong>
        {type}.{field}
      </strong>
      : {returns}
      {description !== '' && <p>{description}</p>}
      <ul>
        <Some of={paths} first={PATHS} more={texts.morePaths}>
          {(path) => (
            <li key={path}>
              <button type="button" onClick={() => open({ query: queryOf(path), variables: '' })}>
                <code>{breakable(path)}</code>
              </button>
            </li>
          )}
        </Some>
      </ul>
    </>
  );
}

/** A path that may wrap at its dots. */
function breakable(path: string): ReactNode[] {
  return path.split(/(?<=\.)/).flatMap((step, index) => (index === 0 ? [step] : [<wbr key={step} />, step]));
}
