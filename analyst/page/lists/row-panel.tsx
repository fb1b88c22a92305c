import { type ReactNode, useEffect, useRef } from 'react';
import type { LayoutRow, PlacedColumn } from '../../../rows/layout.js';
import { EVERYTHING, type RowChoice } from '../../../rows/row-choice.js';
import { Button, SignButton } from '../elements/controls.js';
import { copyText } from '../elements/files.js';
import { formatCell, useLabels } from '../labels/labels.js';
import { textsNow, useTexts } from '../state/language.js';
import { useResult } from '../state/page-state.js';
import type { LoadedList } from './loaded-list.js';
import { copyShareLink } from './share-link.js';
import { ROW_TEXTS } from './texts.js';

interface RowPanelProps {
  list: LoadedList;
  row: LayoutRow;
  /** Buttons that go to other rows. */
  steps?: ReactNode;
  onClose(): void;
}

/** All fields of a row, whole: also those without a column in the table. Escape closes it. */
export function RowPanel({ list, row, steps, onClose }: RowPanelProps) {
  const texts = useTexts(ROW_TEXTS);
  const result = useResult();
  const linkToRow = (): Promise<void> | undefined =>
    result &&
    copyShareLink(result, {
      path: list.path,
      view: 'Table',
      choice: { ...EVERYTHING, where: conditionsOf(list, row) },
    });
  const panel = useRef<HTMLElement>(null);
  // On the map, the buttons that go to the next point keep it.
  const takesFocus = steps !== undefined;
  useEffect(() => {
    if (takesFocus) panel.current?.focus();
  }, [takesFocus]);
  const fields = list.layout.columns.map((column) => ({ name: column.name, text: textOf(row, column) }));
  const labels = useLabels(fields.map(({ name }) => name));
  const [filled, empty] = [fields.filter(({ text }) => text !== ''), fields.filter(({ text }) => text === '')];
  const copy = (): Promise<void> =>
    copyText(filled.map(({ name, text }) => `${name}\t${text}`).join('\n'), () => textsNow(ROW_TEXTS).copied);
  return (
    <section
      ref={panel}
      className="pa-row-panel"
      aria-label={texts.row}
      tabIndex={-1}
      onKeyDown={({ key }) => key === 'Escape' && onClose()}
    >
      <div className="pa-buttons">
        {steps}
        <Button onClick={() => void copy()}>{texts.copy}</Button>
        <Button title={texts.linkHint} onClick={() => void linkToRow()}>
          {texts.link}
        </Button>
        <SignButton className="pa-close" label={texts.close} sign="×" onClick={onClose} />
      </div>
      <dl className="pa-card">
        {filled.map(({ name, text }) => (
          <div key={name}>
            <dt title={name}>{labels[name] ?? name}</dt>
            <dd>{isAddress(text) ? <Address of={text} /> : text}</dd>
          </div>
        ))}
      </dl>
      {empty.length > 0 && (
        <p className="pa-note">{texts.empty(empty.map(({ name }) => labels[name] ?? name).join(', '))}</p>
      )}
    </section>
  );
}

function Address({ of }: { of: string }) {
  return (
    <a href={of} target="_blank" rel="noopener noreferrer">
      {of}
    </a>
  );
}

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text);
}

/** Tags that begin or end a line. */
const BLOCKS = /<\/?(?:br|p|div|ul|ol|tr|h[1-6])\b[^<>]*>/gi;

/** A cell as text; of HTML what it says. No tag of it is ever parsed, so that none can act on the page. */
function textOf(row: LayoutRow, column: PlacedColumn): string {
  const cell = row.cell(column);
  const text = formatCell(cell, column.name);
  if (typeof cell !== 'string' || !/<\/?[a-z][^<>]*>/i.test(text)) return text;
  const lines = text
    .replaceAll(/<(script|style)\b.*?(?:<\/\1[^<>]*>|$)/gis, '')
    .replaceAll(/<li\b[^<>]*>/gi, '\n• ')
    .replaceAll(BLOCKS, '\n')
    .replaceAll(/<\/?[a-z][^<>]*>/gi, '');
  const { body } = new DOMParser().parseFromString(lines.replaceAll('<', '&lt;'), 'text/html');
  const said = (body.textContent ?? '').split('\n').map((line) => line.trim());
  return said.filter(Boolean).join('\n');
}

/** Names of what usually identifies a row. */
const KEY = /(^|[./])(id|siret|insee|code|rncp|title|nom|name|label)$/i;
/** Longer texts are no keys. */
const LONGEST_KEY = 120;
/** As many conditions as a link to a row has at most. */
const MOST_CONDITIONS = 4;

/** Conditions that leave of a list this row, or those that are like it. */
function conditionsOf({ layout, rows }: LoadedList, row: LayoutRow): RowChoice['where'] {
  const keys = layout.columns.toSorted((one, other) => Number(KEY.test(other.name)) - Number(KEY.test(one.name)));
  const where: RowChoice['where'][number][] = [];
  let left = rows;
  for (const column of keys) {
    if (left.length <= 1 || where.length === MOST_CONDITIONS) break;
    const cell = row.cell(column);
    if (cell === null || cell === '' || String(cell).length > LONGEST_KEY) continue;
    const alike = left.filter((other) => other.cell(column) === cell);
    if (alike.length === left.length) continue;
    left = alike;
    where.push({ column: column.name, operator: 'eq', value: String(cell) });
  }
  return where;
}
