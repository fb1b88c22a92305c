import type { Cell } from '../../rows/cells.js';
import { layoutOf, shapesOf } from '../../rows/layout.js';
import { type JsonObject, readPath } from '../../rows/path.js';

/** A list of a response as a table. */
export function readTable(data: JsonObject, path: string) {
  const steps = readPath(path);
  const { columns, positions, rowsOf } = layoutOf(steps, shapesOf(data, steps));
  return { path, columns, positions, rows: () => rowsOf(data) };
}

/** A table as an array of objects, for comparisons. */
export function rowsAt(data: JsonObject, path: string): Record<string, Cell>[] {
  const table = readTable(data, path);
  return [...table.rows()].map((row) => {
    const cells = row.cells();
    return Object.fromEntries(table.columns.map(({ name }, index) => [name, cells[index] ?? null]));
  });
}

export function columnsAt(data: JsonObject, path: string): string[] {
  return readTable(data, path).columns.map(({ name }) => name);
}

/** Reads CSV by RFC 4180, implemented from that document and independent of our writer. */
export function parseCsv(text: string, separator = ','): string[][] {
  const records: string[][] = [];
  let record: string[] = [];
  let field = '';
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (isQuoted) {
      if (character !== '"') field += character;
      else if (text[at + 1] === '"') {
        field += '"';
        at += 1;
      } else isQuoted = false;
    } else if (character === '"' && field === '') isQuoted = true;
    else if (character === separator) {
      record.push(field);
      field = '';
    } else if (character === '\r' && text[at + 1] === '\n') {
      records.push([...record, field]);
      record = [];
      field = '';
      at += 1;
    } else field += character;
  }
  if (field !== '' || record.length > 0) records.push([...record, field]);
  return records;
}

/** Records of a CSV file without its last line, if that says that the file is incomplete. */
export function withoutNote(records: readonly string[][]): string[][] {
  return records.filter(([first], index) => index < records.length - 1 || first?.startsWith('# incomplete: ') !== true);
}

/** Texts by their paths; a function's text is its source. */
export function leaves(texts: unknown, path = ''): Record<string, string> {
  if (typeof texts !== 'object' || texts === null) return { [path]: String(texts) };
  return Object.assign({}, ...Object.entries(texts).map(([key, text]) => leaves(text, `${path}.${key}`)));
}
