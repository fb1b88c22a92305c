import { ROW_FORMATS } from '../../rows/formats.js';
import type { RowList } from '../../rows/lists.js';
import { download } from '../elements/download.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { AllPages } from '../paging/all-pages-button.js';
import type { QueryResult } from '../responses/query-result.js';
import { copyText } from '../state/copy-text.js';
import { remember } from '../state/tab-memory.js';
import { dataLink } from './data-link.js';
import { downloadRows } from './download.js';

interface ListBarProps {
  result: QueryResult;
  lists: readonly RowList[];
  shown: ShownRows;
}

/** Selects the list, downloads its rows, follows its pages. */
export function ListBar({ result, lists, shown }: ListBarProps) {
  const { path } = shown.list;
  return (
    <div className="pa-bar">
      <label>
        List{' '}
        <select value={path} title={path} onChange={({ target }) => remember({ list: target.value })}>
          {lists.length === 0 && <option value="">the whole response</option>}
          {lists.map((list) => (
            <option key={list.path} value={list.path}>
              {list.path} ({list.count})
            </option>
          ))}
        </select>
      </label>
      <AllPages result={result} path={path} />
      <span className="pa-buttons">
        {ROW_FORMATS.map((format) => (
          <button
            key={format.name}
            type="button"
            title={HINTS[format.name]}
            onClick={() => downloadRows(result, shown, format)}
          >
            {format.title}
          </button>
        ))}
        <button type="button" title="Download the whole response" onClick={() => downloadJson(result)}>
          JSON
        </button>
        <button
          type="button"
          title="Copy a link to these rows for a spreadsheet or a notebook"
          onClick={() => copyLink(result, shown)}
        >
          Copy data link
        </button>
      </span>
    </div>
  );
}

const HINTS: Readonly<Record<string, string>> = {
  csv: 'For programs: commas, decimal points, UTF-8. In a spreadsheet, import the columns as text.',
  'csv-fr': 'For Excel in French: semicolons, decimal commas. A double click loses leading zeros: import as text.',
  xlsx: 'A workbook with text cells: SIRET and INSEE codes stay as they are.',
  geojson: 'For a map: one feature per row, longitude first.',
};

function downloadJson({ response }: QueryResult): void {
  download('response.json', 'application/json', [JSON.stringify(response, null, 2)]);
}

async function copyLink(result: QueryResult, shown: ShownRows): Promise<void> {
  const { search, notice } = dataLink(result, shown);
  await copyText(`${window.location.origin}/graphql?${search}`, notice);
}
