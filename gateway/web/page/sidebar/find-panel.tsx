import { useGraphiQL } from '@graphiql/react';
import { type ReactNode, useDeferredValue, useMemo, useState } from 'react';
import { sayCount } from '../elements/say.js';
import { useOpenQuestion } from '../tabs/open-question.js';
import { type FoundField, findFields, waysToTypes } from './paths.js';
import { questionOf } from './question-of.js';
import { Some } from './some.js';

/** Fields and ways that are shown before one asks for all of them. */
const FIELDS = 30;
const WAYS = 5;

/** Finds a word anywhere in the graph, and every way to it from the root. */
export function FindPanel() {
  const schema = useGraphiQL((state) => state.schema);
  const [word, setWord] = useState('');
  const wanted = useDeferredValue(word);
  const ways = useMemo(() => (schema ? waysToTypes(schema) : new Map()), [schema]);
  const found = useMemo(() => (schema ? findFields(schema, ways, wanted) : []), [schema, ways, wanted]);
  return (
    <div className="pa-panel">
      <h2>Find a field</h2>
      <label>
        Word <input type="search" value={word} placeholder="SIRET" onChange={({ target }) => setWord(target.value)} />
      </label>
      <p role="status">{wanted.trim() === '' ? HINT : sayCount(found.length, 'field')}</p>
      <ul className="pa-found" key={wanted}>
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

const HINT = 'A name, a type such as SIRET, or a word of a description. Click a path to query it in a new tab.';

function Found({ found: { type, field, returns, description, paths } }: { found: FoundField }) {
  const open = useOpenQuestion();
  return (
    <>
      <strong>
        {type}.{field}
      </strong>
      : {returns}
      {description !== '' && <p>{description}</p>}
      <ul>
        <Some of={paths} first={WAYS} name="way">
          {(path) => (
            <li key={path}>
              <button type="button" onClick={() => open({ query: questionOf(path), variables: '' })}>
                <code>{breakable(path)}</code>
              </button>
            </li>
          )}
        </Some>
      </ul>
    </>
  );
}

/** A way that may be broken at its dots, where no name is torn apart. */
function breakable(path: string): ReactNode[] {
  return path.split(/(?<=\.)/).flatMap((step, index) => (index === 0 ? [step] : [<wbr key={step} />, step]));
}
