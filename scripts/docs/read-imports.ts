import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));

const ROOMS = ['analyst', 'gateway', 'kernel', 'rows', 'runtime', 'sandbox', 'schema', 'subgraphs', 'wiring'];

/** An import of one file by another, as paths from the root. */
export interface Import {
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
