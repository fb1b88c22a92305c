import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

const ROOMS = ['schema', 'runtime', 'subgraphs', 'gateway', 'sandbox', 'composition'];

test('folders import each other in one direction', () => {
  expect(circlesIn(importsBetweenFolders())).toEqual([]);
});

/** For each folder those that its files import from. Generated types tie all of a subgraph together, so they do not count. */
function importsBetweenFolders(): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  const files = ROOMS.flatMap(filesBelow).filter((file) => /\.tsx?$/.test(file) && !file.includes('__generated__'));
  for (const file of files) {
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, specifier = ''] of text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)) {
      const to = dirname(normalize(join(dirname(file), specifier)));
      if (to === dirname(file) || to.includes('__generated__')) continue;
      graph.set(dirname(file), (graph.get(dirname(file)) ?? new Set()).add(to));
    }
  }
  return graph;
}

/** Folders that reach each other, grouped. */
function circlesIn(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const reach = new Map([...graph.keys()].map((folder) => [folder, reachedFrom(folder, graph)]));
  const groups = new Map<string, string[]>();
  for (const [folder, reached] of reach) {
    const mutual = [...reached].filter((other) => reach.get(other)?.has(folder)).sort();
    if (mutual.length > 1) groups.set(mutual.join(), mutual);
  }
  return [...groups.values()];
}

function reachedFrom(folder: string, graph: ReadonlyMap<string, ReadonlySet<string>>): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(graph.get(folder) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(graph.get(next) ?? []));
  }
  return reached;
}

/** All files below a folder, by their paths from the root. */
function filesBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file));
}
