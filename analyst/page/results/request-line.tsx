import { useGraphiQLActions } from '@graphiql/react';
import { useTexts } from '../language/texts.js';
import type { QueryResult } from '../responses/query-result.js';
import { useStore } from '../store/store.js';
import { loadedNames } from '../variables/named-codes.js';
import { OPTION_SOURCES } from '../variables/options.js';
import { useDeclarations } from '../variables/use-declarations.js';
import { nameValues } from '../variables/value-names.js';
import { RESULT_TEXTS } from './texts.js';
import { useChange } from './use-change.js';

/**
 * Names the values that the shown response is for. If query or values have changed since it was sent, it says so and
 * offers to run them. The line is there while it is empty too: when it comes, nothing may move under the pointer.
 */
export function RequestLine({ result }: { result: QueryResult }) {
  const texts = useTexts(RESULT_TEXTS);
  useStore(loadedNames);
  const { query, operationName, variables = {} } = result.request;
  const names = nameValues(useDeclarations(query, operationName), variables, OPTION_SOURCES);
  const change = useChange(result.request);
  const responseFor = names === '' ? texts.withoutValues : texts.responseFor(names);
  return (
    <div className="pa-request" data-change={change ?? ''}>
      <span role="status">
        {change !== null && <span className="pa-hidden">{texts.changed[change]}</span>}
        {change === 'query' ? texts.earlierQuery(names) : (change !== null || names !== '') && responseFor}
      </span>
      {change !== null && (
        <>
          {' · '}
          <RunChanged />
        </>
      )}
    </div>
  );
}

/** Submits the form, which checks its values first; without a form, runs the query. */
function RunChanged() {
  const texts = useTexts(RESULT_TEXTS);
  const { run } = useGraphiQLActions();
  const submit = (): void => {
    const form = document.querySelector<HTMLFormElement>('.pa-variables');
    // This button goes with the response.
    document.querySelector<HTMLElement>(form ? '.pa-run' : '.graphiql-execute-button')?.focus();
    if (form) form.requestSubmit();
    else run();
  };
  return (
    <button type="button" onClick={submit}>
      {texts.runAgain}
    </button>
  );
}
