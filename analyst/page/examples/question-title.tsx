import { useGraphiQL } from '@graphiql/react';
import { useMemo } from 'react';
import { language, textsNow } from '../state/language.js';
import { useStore } from '../state/store.js';
import { useQueryText } from '../tabs/editors.js';
import { exampleOf } from './catalogue.js';

const UNNAMED = { en: 'A query without a name', fr: 'Une requête sans nom' } as const;

/** The question in front, as a heading. */
export function QuestionTitle() {
  return <h1 className="pa-question">{useQuestion() || textsNow(UNNAMED)}</h1>;
}

/** The title of the example that the query in front is, or the name of its operation; empty without one. */
export function useQuestion(): string {
  useStore(language);
  const query = useQueryText();
  const name = useGraphiQL((state) => state.operationName);
  const example = useMemo(() => exampleOf(query), [query]);
  return example ? textsNow(example.title) : (name ?? '');
}
