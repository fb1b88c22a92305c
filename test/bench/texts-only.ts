import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const COPY = join(ROOT, 'node_modules/.cache/bench-texts');

/** Where the product stores whole responses, in one process and apart, and the bound above which it stores none. */
const STORES = ['prepared-operations', 'stored-responses'].map((name) => `dist/gateway/execution/direct/${name}.js`);
const BOUND = /const MAX_RESPONSE_BYTES = [^;]+;/;

/** Copies the build, with a bound of 0 bytes for whole responses: it neither finds nor stores one. Returns its folder. */
export function copyWithTextsOnly(): string {
  mkdirSync(COPY, { recursive: true });
  for (const part of ['dist', 'package.json', 'schema/supergraph.graphql']) {
    cpSync(join(ROOT, part), join(COPY, part), { recursive: true });
  }
  for (const store of STORES) {
    const program = readFileSync(join(COPY, store), 'utf8');
    if (!BOUND.test(program)) throw new Error(`${store} has no such bound any more: ${BOUND.source}`);
    writeFileSync(join(COPY, store), program.replace(BOUND, 'const MAX_RESPONSE_BYTES = 0;'));
  }
  return COPY;
}
