import { useGraphiQL } from '@graphiql/react';
import { useDeferredValue, useMemo, useState } from 'react';
import { findFields } from './paths.js';

const SHOWN = 60;

/** Finds a word anywhere in the graph, and every way to it from the root. */
export function FindPanel() {
  const schema = useGraphiQL((state) => state.schema);
  const [word, setWord] = useState('');
  const wanted = useDeferredValue(word);
  const found = useMemo(() => (schema ? findFields(schema, wanted) : []), [schema, wanted]);
  return (
    <div className="pa-panel">
      <h2>Find a field</h2>
      <label>
        Word <input type="search" value={word} placeholder="SIRET" onChange={({ target }) => setWord(target.value)} />
      </label>
      <p role="status">
        {wanted.trim() === '' ? 'A name, a type such as SIRET, or a word of a description.' : `${found.length} fields`}
      </p>
      <ul className="pa-found">
        {found.slice(0, SHOWN).map(({ type, field, returns, description, paths }) => (
          <li key={`${type}.${field}`}>
            <strong>
              {type}.{field}
            </strong>
            : {returns}
            {description !== '' && <p>{description}</p>}
            <ul>
              {paths.map((path) => (
                <li key={path}>
                  <code>{path}</code>
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </div>
  );
}
