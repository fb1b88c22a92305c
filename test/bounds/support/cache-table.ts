import { readFileSync } from 'node:fs';

const OPERATORS = new URL('../../../docs/operators.md', import.meta.url);
const ROW = /^\| `([a-z-]+)`[^|]* \| (gateway|per service|work-study) \| (\d+) MiB\b/gm;

/** A row of the table of caches in docs/operators.md. */
export interface CacheRow {
  readonly name: string;
  readonly where: string;
  readonly boundBytes: number;
}

/** The table of caches in the operators' documentation. */
export function cacheTable(): readonly CacheRow[] {
  const [, section = ''] = readFileSync(OPERATORS, 'utf8').split('### 8.4 ');
  return [...section.matchAll(ROW)].map(([, name = '', where = '', mebibytes]) => ({
    name,
    where: where === 'per service' ? 'service' : where,
    boundBytes: Number(mebibytes) * 1024 * 1024,
  }));
}
