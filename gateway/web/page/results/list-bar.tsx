import { ROW_FORMATS } from '../../rows/formats.js';
import type { RowList } from '../../rows/lists.js';
import type { Table } from '../../rows/table.js';
import type { Asked } from '../answers/asked.js';
import type { Sorting } from '../answers/sort-rows.js';
import { AllPages } from '../paging/all-pages-button.js';
import { copyText } from '../state/copy-text.js';
import { activeTab, chosenLists, chosenOrder } from '../state/page-state.js';
import { dataLink } from './data-link.js';
import { download, downloadRows } from './download.js';

/** Chooses the list, takes its rows away, follows its pages. */
export function ListBar({ asked, lists, table }: { asked: Asked; lists: readonly RowList[]; table: Table }) {
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
      <AllPages asked={asked} path={table.path} />
      <span className="pa-buttons">
        {ROW_FORMATS.map((format) => (
          <button
            key={format.name}
            type="button"
            title={HINTS[format.name]}
            onClick={() => downloadRows({ asked, table, format, sorting: orderOf(table) })}
          >
            {format.title}
          </button>
        ))}
        <button type="button" title="Download the whole response" onClick={() => downloadJson(asked)}>
          JSON
        </button>
        <button
          type="button"
          title="Copy a link that gives these rows to a spreadsheet or a notebook"
          onClick={() => copyLink(asked, table)}
        >
          Copy data link
        </button>
      </span>
    </div>
  );
}

const HINTS: Readonly<Record<string, string>> = {
  csv: 'For programs: commas, decimal points, UTF-8. In a spreadsheet, import the columns as text.',
  'csv-fr': 'For Excel in French: semicolons, decimal commas. A double click would eat leading zeros: import as text.',
  xlsx: 'A workbook with text cells: SIRET and INSEE codes stay as they are.',
  geojson: 'For a map: one feature per row, longitude first.',
};

function downloadJson({ answer }: Asked): void {
  download('answer.json', 'application/json', [JSON.stringify(answer, null, 2)]);
}

async function copyLink(asked: Asked, table: Table): Promise<void> {
  const { search, said } = dataLink(asked, table, orderOf(table));
  await copyText(`${window.location.origin}/graphql?${search}`, said);
}

function orderOf(table: Table): Sorting | null {
  const order = chosenOrder.get();
  return order?.table === table ? order.sorting : null;
}
