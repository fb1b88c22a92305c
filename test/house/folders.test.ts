import { dirname } from 'node:path';
import { expect, test } from 'vitest';
import { readImports } from '../../scripts/docs/room-graph.js';

/** Guards that folders import each other in one direction. */

test('folders import each other in one direction', () => {
  expect(circlesIn(importsBetweenFolders())).toEqual([]);
});

/** For each folder, those from which its files import. */
function importsBetweenFolders(): ReadonlyMap<string, ReadonlySet<string>> {
  const graph = new Map<string, Set<string>>();
  for (const { from, to } of readImports()) {
    const [source, target] = [dirname(from), dirname(to)];
    if (source !== target) graph.set(source, (graph.get(source) ?? new Set()).add(target));
  }
  return graph;
}

/** Groups of folders that reach each other. */
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
