import { type FieldRow, readContract } from '../graph.js';

const rows = readContract<FieldRow>('fields').filter((row) => row.layer === 'body' && row.exposed !== false);

/** The documented fields of a resource and of the resources that it refers to, with paths from the resource. */
export function documentedRows(resource: string): readonly FieldRow[] {
  return rows
    .filter((row) => row.resource === resource)
    .flatMap((row) => [
      row,
      ...(row.ref === undefined ? [] : documentedRows(row.ref)).map((inner) => ({
        ...inner,
        path: `${row.path}.${inner.path}`,
        graphql: `${row.graphql}.${inner.graphql}`,
      })),
    ]);
}

type Tree = Map<string, Tree>;

/** A selection of every documented field of a resource. */
export function selectionOf(resource: string): string {
  const root: Tree = new Map();
  for (const row of documentedRows(resource)) {
    const names = [...(row.graphql ?? '').split('.'), ...(row.kind.startsWith('geojson') ? ['type'] : [])];
    plant(root, names);
    if (row.kind.startsWith('geojson')) plant(root, [...names.slice(0, -1), 'coordinates']);
  }
  return printed(root);
}

/** Every value of a record at a documented path. Lists on the way are flattened; a null on the way yields no value. */
export function valuesAt(record: unknown, path: string): unknown[] {
  let values: unknown[] = [record];
  for (const name of path.split('.')) {
    values = values
      .flatMap((value) => (Array.isArray(value) ? value : [value]))
      .filter((value) => typeof value === 'object' && value !== null)
      .map((value) => (value as Readonly<Record<string, unknown>>)[name]);
  }
  return values;
}

/** Sets a path of a record, wherever its parent exists, to a value; to undefined, to omit the key. */
export function setAt(record: unknown, path: string, value: unknown): void {
  const names = path.split('.');
  const last = names.pop() ?? '';
  const parents = names.length === 0 ? [record] : valuesAt(record, names.join('.'));
  for (const parent of parents.flat()) {
    if (typeof parent === 'object' && parent !== null) (parent as Record<string, unknown>)[last] = value;
  }
}

function plant(tree: Tree, [name, ...rest]: readonly string[]): void {
  if (name === undefined) return;
  const branch: Tree = tree.get(name) ?? new Map();
  tree.set(name, branch);
  plant(branch, rest);
}

function printed(tree: Tree): string {
  return [...tree].map(([name, inner]) => (inner.size === 0 ? name : `${name} { ${printed(inner)} }`)).join(' ');
}
