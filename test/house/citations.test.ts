import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { SERVICES } from '../../kernel/services.js';

/** Guards that comments and documents cite sections that exist. */

const root = new URL('../../', import.meta.url);

/** Pages with numbered sections, by the name under which comments cite them. */
const CITED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(SERVICES.map((name) => [name, `docs/upstreams/${name}.md`])),
  architecture: 'docs/architecture.md',
  execution: 'docs/execution.md',
  reliability: 'docs/reliability.md',
  operators: 'docs/operators.md',
  bounds: 'docs/bounds.md',
  frontends: 'docs/frontends.md',
  analysts: 'docs/analysts.md',
  performance: 'docs/performance.md',
  scaling: 'docs/scaling.md',
};

/** A citation such as `work-study 7.14`, possibly of several sections: `volunteering 2.1, 4.4 and 9`. */
const CITATION = new RegExp(
  `\\b(${Object.keys(CITED).join('|')}) (\\d+(?:\\.\\d+)*(?:(?:, | and | to |; )\\d+(?:\\.\\d+)*)*)`,
  'g',
);

/** What looks like a citation: a word and a number, alone or first in parentheses. */
const LIKE_A_CITATION = /\(([a-z][a-z-]*) \d+(?:\.\d+)*[,;)]/g;

/** Words before numbers that cite nothing. */
const NO_PAGES = ['level', 'niveau', 'version', 'zod'];

const SECTION = /\d+(?:\.\d+)*/g;

test('every section that code or documents cite exists', () => {
  const known = new Map(Object.entries(CITED).map(([name, file]) => [name, sectionsOf(read(file))]));
  const citations = sources().flatMap((file) =>
    [...flowing(file).matchAll(CITATION)].flatMap(([, page = '', sections = '']) =>
      (sections.match(SECTION) ?? []).map((section) => ({ file, page, section })),
    ),
  );
  expect(citations.length).toBeGreaterThan(500);
  expect(citations.filter(({ page, section }) => !known.get(page)?.has(section))).toEqual([]);
});

test('every section that a document cites of itself exists', () => {
  const citations = Object.values(CITED).flatMap((file) =>
    [...flowing(file).matchAll(/\bsection (\d+(?:\.\d+)*)/g)].map(([, section = '']) => ({ file, section })),
  );
  expect(citations.length).toBeGreaterThan(10);
  expect(citations.filter(({ file, section }) => !sectionsOf(read(file)).has(section))).toEqual([]);
});

test('what code cites is a page that can be cited', () => {
  const cited = sources()
    .filter((file) => !file.endsWith('.md'))
    .flatMap((file) => [...flowing(file).matchAll(LIKE_A_CITATION)].map(([, page = '']) => ({ file, page })));
  expect(cited.length).toBeGreaterThan(300);
  expect(cited.filter(({ page }) => !(page in CITED) && !NO_PAGES.includes(page))).toEqual([]);
});

/** Numbers of a page's headings. */
function sectionsOf(page: string): ReadonlySet<string> {
  return new Set([...page.matchAll(/^#+ (\d+(?:\.\d+)*)\.? /gm)].map(([, number = '']) => number));
}

/** The text of a file without line breaks and link targets, either of which may interrupt a citation. */
function flowing(file: string): string {
  return read(file)
    .replace(/\n\s*(?:\*|\/\/)? ?/g, ' ')
    .replace(/\]\([^)]*\)/g, '');
}

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}

function sources(): string[] {
  const files = execFileSync('git', ['ls-files', '-co', '--exclude-standard'], { cwd: root, encoding: 'utf8' });
  return files.split('\n').filter((file) => /\.(ts|tsx|mjs|graphql|md)$/.test(file));
}
