import { useGraphiQL, useGraphiQLActions } from '@graphiql/react';
import { print } from 'graphql';
import { useMemo } from 'react';
import { Button } from '../elements/button.js';
import { operationNameOf, parseQuery } from '../request/operation.js';
import { useTexts } from '../state/language.js';
import { usePage } from '../state/page-state.js';
import type { GraphqlRequest, QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import { useQueryText, useVariablesText } from '../tabs/editors.js';
import { loadedNames, OPTION_SOURCES } from '../variables/options.js';
import { nameValues, readValues } from '../variables/values.js';
import { useDeclarations } from '../variables/variables-form.js';
import { RESULT_TEXTS } from './texts.js';

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
  return <Button onClick={submit}>{texts.runAgain}</Button>;
}

/**
 * What has changed in the editors since a request of the active tab was sent; null if nothing has, or if the variables
 * cannot be read, which the form reports.
 */
function useChange(request: GraphqlRequest): 'query' | 'values' | null {
  const query = useQueryText();
  const text = useVariablesText();
  const name = useGraphiQL((state) => state.operationName);
  const front = useGraphiQL(({ tabs, activeTabIndex }) => tabs[activeTabIndex]?.id);
  const tab = usePage(({ tab }) => tab);
  const isOtherQuery = useMemo(() => !isSameQuery(query, request.query), [query, request]);
  const isOtherText = useMemo(() => !hasSameValues(text, request), [text, request]);
  // Another tab comes to the front before its response does.
  if (front !== tab) return null;
  if (isOtherQuery || operationNameOf({ query, operationName: name }) !== request.operationName) return 'query';
  return isOtherText ? 'values' : null;
}

/** Whether two queries ask for the same, however they are laid out and commented. */
function isSameQuery(one: string, other: string): boolean {
  if (one === other) return true;
  const [own, others] = [parseQuery(one), parseQuery(other)];
  return own !== null && others !== null && print(own) === print(others);
}

function hasSameValues(text: string, { variables }: GraphqlRequest): boolean {
  const values = readValues(text);
  return values === null || sorted(values) === sorted(variables ?? {});
}

/** JSON in which the keys of objects have one order. */
function sorted(json: unknown): string {
  return JSON.stringify(json, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );
}
