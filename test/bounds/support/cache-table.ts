import { readFileSync } from 'node:fs';

const BOUNDS = new URL('../../../docs/bounds.md', import.meta.url);
const ROW = /^\| `([a-z-]+)`[^|]* \| (gateway|per service|work-study) \| (\d+) MiB\b/gm;

/** A row of the table of caches in docs/bounds.md. */
export interface CacheRow {
  readonly name: string;
  readonly where: string;
  readonly boundBytes: number;
}

/** The table of caches in the documentation. */
export function cacheTable(): readonly CacheRow[] {
  const [, section = ''] = readFileSync(BOUNDS, 'utf8').split('## 4. ');
  return [...section.matchAll(ROW)].map(([, name = '', where = '', mebibytes]) => ({
    name,
    where: where === 'per service' ? 'service' : where,
    boundBytes: Number(mebibytes) * 1024 * 1024,
  }));
}
