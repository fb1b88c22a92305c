import type { Extent } from '../../../rows/extent.js';
import { fileName, ROW_FORMATS, type RowFormat, writeRows } from '../../../rows/formats.js';
import type { RowList } from '../../../rows/lists.js';
import type { PickedRow } from '../../../rows/row-choice.js';
import type { WritableRow } from '../../../rows/row-file.js';
import { Button, Checkbox, Choice, Menu } from '../elements/controls.js';
import { copyText, download } from '../elements/files.js';
import { formatNumber } from '../elements/format.js';
import { labelsOfColumns, nameOfCell, useLabels } from '../labels/labels.js';
import { provenanceOf, whyPartial } from '../lists/extent.js';
import type { ShownRows, ViewProps } from '../lists/loaded-list.js';
import { copyShareLink, SHARE_TEXTS } from '../lists/share-link.js';
import { EXTENT_TEXTS } from '../lists/texts.js';
import { AllPages } from '../paging/all-pages-button.js';
import { language, textsNow, useTexts } from '../state/language.js';
import { changePage, notify, page, remember, usePage } from '../state/page-state.js';
import { outcomeOf, type QueryResult } from '../state/query-result.js';
import { useStore } from '../state/store.js';
import { dataLink, describeLink, describeOmitted, linkProblem, questionFile, REQUEST_CODE } from './data-link.js';
import { LINK_TEXTS } from './texts.js';

interface ListBarProps extends Omit<ViewProps, 'memory'> {
  lists: readonly RowList[];
  isBusy: boolean;
}

/** Selects the list, downloads its rows, follows its pages. While a choice is applied, no file or link is made. */
export function ListBar({ result, lists, shown, extent, isBusy }: ListBarProps) {
  const { path } = shown.list;
  const texts = useTexts(LINK_TEXTS);
  const spoken = useStore(language);
  const labels = useLabels(lists.map((list) => list.path));
  const { copyLink: copyQueryLink } = useTexts(SHARE_TEXTS);
  const hints: Words = texts.hints;
  const hasCodes = usePage(({ filesHaveCodes }) => filesHaveCodes);
  return (
    <div className="pa-bar">
      {lists.length > 1 && (
        <Choice
          label={texts.list}
          value={path}
          options={lists.map((list) => list.path)}
          titles={Object.fromEntries(
            lists.map(({ path: of, count }) => [of, `${labels[of] ?? of} (${formatNumber(count)})`]),
          )}
          onChoose={(chosen) => remember({ list: chosen })}
        />
      )}
      <AllPages result={result} path={extent.kind === 'page' ? extent.list : path} />
      <span className={extent.kind === 'all' ? 'pa-quiet' : 'pa-partial'}>
        {whyPartial(result, path, extent) ?? textsNow(EXTENT_TEXTS).whole}
      </span>
      <Menu title={outcomeOf(result) === 'whole' ? texts.exportAs : texts.exportIncomplete}>
        {MENU_FORMATS.map((format) => (
          <Button
            key={format.name}
            title={hints[format.name]}
            disabled={isBusy}
            onClick={() => downloadRows({ result, shown, extent }, format)}
          >
            {format.title[spoken]}
          </Button>
        ))}
        <Button title={texts.hints.json} onClick={() => downloadJson(result, path, extent)}>
          JSON
        </Button>
        {result.asked && (
          <Checkbox isChecked={hasCodes} onCheck={(filesHaveCodes) => changePage({ filesHaveCodes })}>
            {texts.codesOfGraph}
          </Checkbox>
        )}
      </Menu>
      <Menu title={texts.share}>
        <Button onClick={() => void copyShareLink(result)}>{copyQueryLink}</Button>
        <Button title={texts.copyLinkHint} disabled={isBusy} onClick={() => copyLink(result, shown, extent)}>
          {texts.copyLink}
        </Button>
        {Object.entries(REQUEST_CODE).map(([tool, write]) => (
          <Button key={tool} onClick={() => void copyRequest(result, write)}>
            {texts.copyAs(tool)}
          </Button>
        ))}
      </Menu>
    </div>
  );
}

function copyRequest({ request }: QueryResult, write: (address: string, body: string) => string): Promise<void> {
  const text = write(`${window.location.origin}/graphql`, JSON.stringify(request));
  return copyText(text, () => textsNow(LINK_TEXTS).requestCopied);
}

type Words = Readonly<Record<string, string>>;

function downloadJson(result: QueryResult, path: string, extent: Extent): void {
  const name = fileName('response', { extension: 'json' }, whyPartial(result, path, extent) === null);
  download(name, 'application/json', [JSON.stringify(result.response, null, 2)]);
}

async function copyLink(result: QueryResult, shown: ShownRows, extent: Extent): Promise<void> {
  const search = dataLink(result, shown);
  if (linkProblem(search) !== null) return notify(() => linkProblem(search) ?? '');
  await copyText(`${window.location.origin}/graphql?${search}`, () => describeLink(result, shown, extent));
}

/** Downloads the shown rows, in their order. If they are not the whole list, the file's name and its end say so. */
function downloadRows({ result, shown, extent }: Omit<ViewProps, 'memory'>, format: RowFormat): void {
  const { list, rows, columns, positions } = shown;
  const why = whyPartial(result, list.path, extent);
  const note = why === null ? null : textsNow(EXTENT_TEXTS).after(list.rows.length, rows.length, why);
  const isNamed = result.asked !== undefined && !page.get().filesHaveCodes;
  const titles = isNamed ? labelsOfColumns(columns.map(({ name }) => name)) : {};
  const head = {
    columns: columns.map(({ name }) => ({ name: titles[name] ?? name })),
    positions,
    language: language.get(),
  };
  const written = isNamed ? rows.map((row) => namedRow(row, columns)) : rows;
  const end = { note, omitted: describeOmitted(shown), about: provenanceOf(result, list.path, shown.choice) };
  download(
    questionFile(result, list.path, format, why === null),
    format.mediaType,
    writeRows(format, head, written, end),
  );
}

/** A row with the names of its codes, as the page shows them. */
function namedRow(row: PickedRow, columns: ShownRows['columns']): WritableRow {
  return {
    at: (position) => row.at(position),
    cells: () => row.cells().map((cell, at) => nameOfCell(cell, columns[at]?.name ?? '')),
  };
}

/** The formats of the menu; links have two more. */
const MENU_FORMATS = ROW_FORMATS.filter(({ offered }) => offered !== 'links');
