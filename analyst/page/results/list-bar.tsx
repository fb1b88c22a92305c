import { useId, useState } from 'react';
import type { Extent } from '../../../rows/extent.js';
import { ROW_FORMATS } from '../../../rows/formats.js';
import type { RowList } from '../../../rows/lists.js';
import { download } from '../elements/download.js';
import { formatNumber } from '../elements/format.js';
import { language } from '../language/language.js';
import { useTexts } from '../language/texts.js';
import { ExtentWords } from '../lists/extent-words.js';
import { whyPartial } from '../lists/provenance.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { AllPages } from '../paging/all-pages-button.js';
import type { QueryResult } from '../responses/query-result.js';
import { copyText } from '../state/copy-text.js';
import { notify } from '../state/page-state.js';
import { remember } from '../state/tab-memory.js';
import { useStore } from '../store/store.js';
import { dataLink, describeLink, linkProblem, usualLink } from './data-link.js';
import { downloadRows } from './download.js';
import { LinkPanel } from './link-panel.js';
import { LINK_TEXTS } from './link-texts.js';

interface ListBarProps {
  result: QueryResult;
  lists: readonly RowList[];
  shown: ShownRows;
  extent: Extent;
}

/** Selects the list, downloads its rows, follows its pages. */
export function ListBar({ result, lists, shown, extent }: ListBarProps) {
  const { path } = shown.list;
  const texts = useTexts(LINK_TEXTS);
  const [isOpen, setOpen] = useState(false);
  const panel = useId();
  const spoken = useStore(language);
  const hints: Words = texts.hints;
  return (
    <div className="pa-bar">
      <label>
        {texts.list}{' '}
        <select value={path} title={path} onChange={({ target }) => remember({ list: target.value })}>
          {lists.length === 0 && <option value="">{texts.wholeResponse}</option>}
          {lists.map((list) => (
            <option key={list.path} value={list.path}>
              {list.path} ({formatNumber(list.count)})
            </option>
          ))}
        </select>
      </label>
      <AllPages result={result} path={path} />
      {extent.kind === 'all' ? (
        <ExtentWords extent={extent} path={path} />
      ) : (
        <span className="pa-partial">{whyPartial(result, path, extent)}</span>
      )}
      <span className="pa-buttons">
        {ROW_FORMATS.map((format) => (
          <button
            key={format.name}
            type="button"
            title={hints[format.name]}
            onClick={() => downloadRows(result, { shown, extent }, format)}
          >
            {format.title[spoken]}
          </button>
        ))}
        <button type="button" title={texts.hints.json} onClick={() => downloadJson(result)}>
          JSON
        </button>
        <button type="button" title={texts.copyLinkHint} onClick={() => copyLink(result, shown, extent)}>
          {texts.copyLink}
        </button>
        <button type="button" aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
          {texts.panel}
        </button>
      </span>
      <div id={panel} className="pa-toolbox pa-link-panel" hidden={!isOpen}>
        {isOpen && <LinkPanel result={result} shown={shown} extent={extent} />}
      </div>
    </div>
  );
}

type Words = Readonly<Record<string, string>>;

function downloadJson({ response }: QueryResult): void {
  download('response.json', 'application/json', [JSON.stringify(response, null, 2)]);
}

async function copyLink(result: QueryResult, shown: ShownRows, extent: Extent): Promise<void> {
  const search = dataLink(result, shown, usualLink(result));
  if (linkProblem(search) !== null) return notify(() => linkProblem(search) ?? '');
  await copyText(`${window.location.origin}/graphql?${search}`, () => describeLink(result, shown, extent));
}
