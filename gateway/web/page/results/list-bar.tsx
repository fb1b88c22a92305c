import { ROW_FORMATS } from '../../rows/formats.js';
import type { RowList } from '../../rows/lists.js';
import type { Table } from '../../rows/table.js';
import { AllPages } from '../paging/all-pages-button.js';
import type { QueryResult } from '../responses/query-result.js';
import type { Sorting } from '../responses/sort-rows.js';
import { copyText } from '../state/copy-text.js';
import { activeTab, chosenLists, chosenOrder } from '../state/page-state.js';
import { dataLink } from './data-link.js';
import { download, downloadRows } from './download.js';

/** Selects the list, downloads its rows, follows its pages. */
export function ListBar({ result, lists, table }: { result: QueryResult; lists: readonly RowList[]; table: Table }) {
  const tab = activeTab.get();
  return (
    <div className="pa-bar">
      <label>
        List{' '}
        <select
          value={table.path}
          onChange={({ target }) => chosenLists.set({ ...chosenLists.get(), [tab]: target.value })}
        >
          {lists.length === 0 && <option value="">the whole response</option>}
          {lists.map(({ path, count }) => (
            <option key={path} value={path}>
              {path} ({count})
            </option>
          ))}
        </select>
      </label>
      <AllPages result={result} path={table.path} />
      <span className="pa-buttons">
        {ROW_FORMATS.map((format) => (
          <button
            key={format.name}
            type="button"
            title={HINTS[format.name]}
            onClick={() => downloadRows({ result, table, format, sorting: orderOf(table) })}
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
          onClick={() => copyLink(result, table)}
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

async function copyLink(result: QueryResult, table: Table): Promise<void> {
  const { search, notice } = dataLink(result, table, orderOf(table));
  await copyText(`${window.location.origin}/graphql?${search}`, notice);
}

function orderOf(table: Table): Sorting | null {
  const order = chosenOrder.get();
  return order?.table === table ? order.sorting : null;
}
