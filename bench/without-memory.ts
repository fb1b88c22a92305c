import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const COPY = join(ROOT, 'node_modules/.cache/bench-executed');

/** The file with the bound above which the product stores no whole response, in one process and in several. */
const STORE = 'dist/gateway/memory/memory.js';
const BOUND = /const MAX_BYTES = [^;]+;/;

/**
 * Copies the build with a bound of 0 bytes, so that it neither finds nor stores a whole response. Returns its folder.
 */
export function copyWithoutMemory(): string {
  // An earlier copy may have files of other names.
  rmSync(COPY, { recursive: true, force: true });
  mkdirSync(COPY, { recursive: true });
  for (const part of ['dist', 'package.json', 'schema/supergraph.graphql']) {
    cpSync(join(ROOT, part), join(COPY, part), { recursive: true });
  }
  const program = readFileSync(join(COPY, STORE), 'utf8');
  if (!BOUND.test(program)) throw new Error(`${STORE} has no such bound any more: ${BOUND.source}`);
  writeFileSync(join(COPY, STORE), program.replace(BOUND, 'const MAX_BYTES = 0;'));
  return COPY;
}
