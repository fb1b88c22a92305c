import { useCallback, useState } from 'react';
import type { Extent } from '../../../rows/extent.js';
import { fileName, ROW_FORMATS } from '../../../rows/formats.js';
import type { Steps } from '../../../rows/steps.js';
import { language } from '../language/language.js';
import { textsNow, useTexts } from '../language/texts.js';
import { mayHavePages } from '../lists/list-extent.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { useSteps } from '../lists/use-steps.js';
import type { QueryResult } from '../responses/query-result.js';
import { copyText } from '../state/copy-text.js';
import { useStore } from '../store/store.js';
import { codeSteps, dataLink, linkProblem } from './data-link.js';
import { LINK_TEXTS } from './link-texts.js';
import { SNIPPETS } from './snippets.js';

/** A link to the shown rows in any format, and lines that read it with common tools. */
export function LinkPanel({ result, shown, extent }: { result: QueryResult; shown: ShownRows; extent: Extent }) {
  const texts = useTexts(LINK_TEXTS);
  const spoken = useStore(language);
  const [format, setFormat] = useState('csv');
  const [tool, setTool] = useState('');
  const hasPages = result.pages !== undefined || mayHavePages(extent);
  const [allPages, setAllPages] = useState(result.pages !== undefined);
  const linkIn = (name: string): URLSearchParams =>
    dataLink(result, shown, { format: name, allPages: hasPages && allPages });
  const address = (name: string): string => `${window.location.origin}/graphql?${linkIn(name)}`;
  const problem = linkProblem(linkIn(format));
  const snippet = SNIPPETS.find(({ name }) => name === tool);
  const file = fileName(shown.list.path, { extension: 'csv' });
  const codes = useCodes(snippet === undefined ? null : shown, hasPages && allPages);
  const text = snippet === undefined ? address(format) : codes && snippet.write({ address, file, codes });
  return (
    <>
      <div className="pa-bar">
        <label>
          {texts.forTool}{' '}
          <select value={tool} onChange={({ target }) => setTool(target.value)}>
            <option value="">{texts.linkAlone}</option>
            {SNIPPETS.map(({ name }) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {snippet === undefined && (
          <label>
            {texts.format}{' '}
            <select value={format} onChange={({ target }) => setFormat(target.value)}>
              {ROW_FORMATS.map(({ name, title }) => (
                <option key={name} value={name}>
                  {title[spoken]}
                </option>
              ))}
            </select>
          </label>
        )}
        {hasPages && (
          <label>
            <input type="checkbox" checked={allPages} onChange={({ target }) => setAllPages(target.checked)} />{' '}
            {texts.allPages}
          </label>
        )}
        <button
          type="button"
          disabled={problem !== null || text === null}
          onClick={() => void copyText(text ?? '', () => textsNow(LINK_TEXTS).copied)}
        >
          {texts.copy}
        </button>
      </div>
      {problem !== null && <p role="alert">{problem}</p>}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by keyboard */}
      <pre className="pa-snippet" tabIndex={0}>
        <code>{text ?? '…'}</code>
      </pre>
      <p className="pa-note">
        {texts.noKeys} {snippet !== undefined && (snippet.isTested ? texts.tested : texts.untested)}
      </p>
    </>
  );
}

/** The columns of some rows that contain codes, which a plain link does not need; null while they are looked for. */
function useCodes(shown: ShownRows | null, allPages: boolean): readonly string[] | null {
  const find = useCallback(() => neededSteps(shown, allPages), [shown, allPages]);
  const { value, isBusy } = useSteps(find);
  return isBusy ? null : (value ?? null);
}

function* neededSteps(shown: ShownRows | null, allPages: boolean): Steps<readonly string[]> {
  return shown === null ? [] : yield* codeSteps(shown, { allPages });
}
