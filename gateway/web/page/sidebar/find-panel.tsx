import { useGraphiQL } from '@graphiql/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { formatCount } from '../elements/format.js';
import { useOpenQuery } from '../state/open-query.js';
import { type FoundField, findFields, pathsToTypes } from './paths.js';
import { queryOf } from './query-of.js';
import { Some } from './some.js';

/** Fields that are shown before the list is expanded. */
const FIELDS = 30;
/** Paths that are shown before the list is expanded. */
const PATHS = 5;

/** Finds a word anywhere in the schema, and all paths to it from the root. */
export function FindPanel() {
  const schema = useGraphiQL((state) => state.schema);
  const [word, setWord] = useState('');
  const searched = useDeferredValue(word);
  const paths = useMemo(() => (schema ? pathsToTypes(schema) : new Map()), [schema]);
  const found = useMemo(() => (schema ? findFields(schema, paths, searched) : []), [schema, paths, searched]);
  return (
    <div className="pa-panel">
      <h2>Find a field</h2>
      <label>
        Word <input type="search" value={word} placeholder="SIRET" onChange={({ target }) => setWord(target.value)} />
      </label>
      <p role="status">{searched.trim() === '' ? HINT : formatCount(found.length, 'field')}</p>
      <ul className="pa-found" key={searched}>
        <Some of={found} first={FIELDS} name="field">
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

const HINT = 'A name, a type such as SIRET, or a word in a description. Click a path to query it in a new tab.';

function Found({ found: { type, field, returns, description, paths } }: { found: FoundField }) {
  const open = useOpenQuery();
  return (
    <>
      <strong>
        {type}.{field}
      </strong>
      : {returns}
      {description !== '' && <p>{description}</p>}
      <ul>
        <Some of={paths} first={PATHS} name="path">
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
