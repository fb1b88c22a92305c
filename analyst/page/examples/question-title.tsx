import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { language, textsNow } from '../state/language.js';
import { useStore } from '../state/store.js';
import { useQueryText } from '../tabs/editors.js';
import { EXAMPLES } from './catalogue.js';

const UNNAMED = { en: 'A query without a name', fr: 'Une requête sans nom' } as const;

/** The question in front: the title of the example that it is, or the name of its operation. */
export function QuestionTitle() {
  useStore(language);
  const query = useQueryText();
  const name = useGraphiQL((state) => state.operationName);
  const example = useMemo(() => EXAMPLES.find((one) => one.query.trim() === query.trim()), [query]);
  return <h1 className="pa-question">{example ? textsNow(example.title) : name || textsNow(UNNAMED)}</h1>;
}
