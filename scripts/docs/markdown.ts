/** The line under the title of a derived page, which nobody should edit by hand. */
export const DERIVED = '*Derived from the code by `npm run docs:build`: change it there.*';

/** A Markdown table; cells may hold any text. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map(cell).join(' | ')} |`;
  return [line(headings), `|${headings.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

/** A text as the content of a table cell: one line, escaped. */
function cell(text: string): string {
  return text.replace(/\s+/g, ' ').replaceAll('|', '\\|').trim();
}

const END = '<!-- end of derived -->';

/**
 * The page with a derived section replaced: the text between `<!-- derived: name -->` and the end mark after it. Throws
 * an Error if a mark is missing.
 */
export function withDerived(page: string, name: string, text: string): string {
  const start = `<!-- derived: ${name} -->`;
  const from = page.indexOf(start);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new Error(`The page has lost its marks: ${start} and ${END}.`);
  return `${page.slice(0, from)}${start}\n\n${text}\n\n${page.slice(to)}`;
}
