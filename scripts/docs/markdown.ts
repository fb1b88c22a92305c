/** The line under the title of a page that is derived: nobody edits it by hand. */
export const DERIVED = '*Derived from the code by `npm run docs:build`: change it there.*';

/** A Markdown table; cells may hold any text. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** Text as one line that a table's cell can hold. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}
