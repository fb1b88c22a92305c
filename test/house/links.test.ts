import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { anchorsOf } from './support/anchors.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

const PAGES = [
  ...readdirSync(root).filter((file) => file.endsWith('.md')),
  ...['docs', 'examples'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.md'))
      .map((file) => join(folder, file)),
  ),
];

describe.each(PAGES)('%s', (page) => {
  const text = readFileSync(join(root, page), 'utf8');

  test('links to files and headings that exist', () => {
    const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)/g)];
    const dead = links.filter(([, path = '', anchor]) => !leads(join(root, dirname(page), path), path || page, anchor));
    expect(dead.map(([link]) => link)).toEqual([]);
  });

  test('names files and folders that exist', () => {
    const named = [
      ...text.matchAll(/`((?:gateway|runtime|subgraphs|schema|sandbox|test|scripts|docs|deploy|examples)\/[\w./-]+)`/g),
    ];
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });
});

/** Whether the file exists, and has the heading if an anchor names one. */
function leads(file: string, path: string, anchor: string | undefined): boolean {
  const target = path.endsWith('.md') && !existsSync(file) ? join(root, path) : file;
  if (!existsSync(target)) return false;
  return anchor === undefined || anchorsOf(readFileSync(target, 'utf8')).has(anchor);
}
