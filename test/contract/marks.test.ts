import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** Sections that draw conclusions, summarize others, or are about this project: by the beginning of their headings. */
const NO_FACTS =
  /^(The facts most|What differs|What a gateway|What the gateway|Where it departs|Examples|The sandbox's)/;
const MARK = /^\*\((documented|read|observed)\)\*$/;

/** Headings of sections whose text does not begin with a mark, below headings that have none either. */
function unmarked(page: string): string[] {
  const missing: string[] = [];
  let covered = 0;
  for (const [, hashes = '', heading = '', text = ''] of sectionsOf(page)) {
    const level = hashes.length;
    if (covered > 0 && level > covered) continue;
    const [first = ''] = text.trim().split('\n');
    covered = MARK.test(first) || NO_FACTS.test(heading) ? level : 0;
    if (covered === 0 && text.trim() !== '') missing.push(heading);
  }
  return missing;
}

/** Hashes, heading and text of each numbered section, the text up to the next heading of any level. */
function sectionsOf(page: string) {
  const text = readFileSync(new URL(`../../docs/upstreams/${page}.md`, import.meta.url), 'utf8');
  return text.matchAll(/^(#{2,3}) [\d.]+ (.*)\n((?:(?!#{2,3} ).*\n?)*)/gm);
}

test.each(['work-study', 'volunteering', 'waste-identity'])(
  'each section of %s says how its facts are known',
  (page) => {
    expect([...sectionsOf(page)].length).toBeGreaterThan(20);
    expect(unmarked(page)).toEqual([]);
  },
);
