import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Rooms whose folders are drawn one by one. */
const OPEN_ROOMS = ['gateway', 'subgraphs'];

type Edges = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * A Mermaid diagram of the rooms, with an arrow for each direct dependency; those implied by others are omitted. Throws
 * an Error if rooms depend on each other, as an arrow would have to point up.
 */
export function roomGraph(imports: readonly Import[]): string {
  const edges = edgesOf(imports);
  const nodes = [...new Set([...edges].flatMap(([from, targets]) => [from, ...targets]))].sort();
  const circle = nodes.find((node) => reachedFrom(node, edges).has(node));
  if (circle !== undefined) throw new Error(`The imports of ${circle} lead back to it.`);
  const inside = (room: string) => nodes.filter((node) => dirname(node) === room);
  const arrows = nodes.flatMap((from) => {
    const targets = direct(from, edges);
    return targets.length === 0 ? [] : [`  ${idOf(from)} --> ${targets.map(idOf).join(' & ')}`];
  });
  return [
    '```mermaid',
    'flowchart TD',
    ...nodes.filter((node) => !node.includes('/')).map((node) => `  ${nodeOf(node)}`),
    ...OPEN_ROOMS.flatMap((room) => [
      `  subgraph ${room}_room ["${room}/"]`,
      ...inside(room).map((node) => `    ${nodeOf(node)}`),
      '  end',
    ]),
    ...arrows,
    '```',
  ].join('\n');
}

/** Dependencies between rooms, or between the folders of an open room. */
function edgesOf(imports: readonly Import[]): Edges {
  const edges = new Map<string, Set<string>>();
  for (const { from, to } of imports) {
    const [source, target] = [nodeAt(from), nodeAt(to)];
    if (source !== target) edges.set(source, (edges.get(source) ?? new Set()).add(target));
  }
  return edges;
}

/** `gateway/auth/login.ts` → `gateway/auth`, `gateway/index.ts` → `gateway/index`, `runtime/…` → `runtime`. */
function nodeAt(path: string): string {
  const [room = '', folder] = path.replace(/\.[jt]sx?$/, '').split('/');
  return folder !== undefined && OPEN_ROOMS.includes(room) ? `${room}/${folder}` : room;
}

/** The targets of a node that none of its other targets reaches. */
function direct(from: string, edges: Edges): string[] {
  const targets = [...(edges.get(from) ?? [])];
  return targets.filter((target) => !targets.some((other) => reachedFrom(other, edges).has(target))).sort();
}

function reachedFrom(node: string, edges: Edges): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...(edges.get(node) ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (reached.has(next)) continue;
    reached.add(next);
    open.push(...(edges.get(next) ?? []));
  }
  return reached;
}

/** The prefix keeps ids from being words that Mermaid reserves. */
function idOf(node: string): string {
  return `n_${node.replace(/\W/g, '_')}`;
}

function nodeOf(node: string): string {
  const name = node.split('/').at(-1) ?? node;
  return `${idOf(node)}["${name === 'main' || name === 'index' ? `${name}.ts` : name}"]`;
}

const root = fileURLToPath(new URL('../../', import.meta.url));

const ROOMS = [
  'analyst',
  'database',
  'gateway',
  'kernel',
  'rows',
  'runtime',
  'sandbox',
  'schema',
  'subgraphs',
  'wiring',
];

/** An import of one file by another, as paths from the root. */
interface Import {
  readonly from: string;
  readonly to: string;
}

/** All imports within the product and the sandbox, except of generated types, which tie a whole subgraph together. */
export function readImports(): Import[] {
  const files = ROOMS.flatMap((room) =>
    readdirSync(join(root, room), { recursive: true, encoding: 'utf8' }).map((file) => join(room, file)),
  ).sort();
  return ['main.ts', ...files].filter(isSource).flatMap((from) => {
    const text = readFileSync(join(root, from), 'utf8');
    return [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)]
      .map(([, specifier = '']) => ({ from, to: normalize(join(dirname(from), specifier)) }))
      .filter(({ to }) => !to.includes('__generated__'));
  });
}

function isSource(file: string): boolean {
  return /\.tsx?$/.test(file) && !file.includes('__generated__');
}
