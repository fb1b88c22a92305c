import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERRORS } from '../../kernel/errors.js';
import { VARIABLE_GROUPS } from '../../runtime/configuration/configuration-variables.js';
import { readArguments } from '../arguments.mjs';
import { readApi, readReleased } from './api.js';
import { configurationPage, errorsPage, withDerived } from './pages.js';
import { schemaChanges } from './schema-changes.js';

/**
 * `npm run docs:build` writes what follows from the code in pages; with `--check` it fails if one is out of date.
 */
async function main(check: boolean): Promise<void> {
  const folder = new URL('../../docs/', import.meta.url);
  const api = readApi();
  const current = (name: string) => readFileSync(new URL(name, folder), 'utf8');
  const pages = new Map([
    ['errors.md', errorsPage(ERRORS)],
    ['configuration.md', configurationPage(VARIABLE_GROUPS)],
    ['changes.md', withDerived(current('changes.md'), 'schema changes', await schemaChanges(readReleased(), api))],
  ]);
  const stale = [...pages].filter(([name, text]) => {
    const file = new URL(name, folder);
    return !existsSync(file) || readFileSync(file, 'utf8') !== text;
  });
  if (check && stale.length > 0) {
    const names = stale.map(([name]) => join('docs', name)).join(', ');
    console.error(`Out of date: ${names}. Run \`npm run docs:build\` and commit the result.`);
    process.exitCode = 1;
    return;
  }
  mkdirSync(folder, { recursive: true });
  for (const [name, text] of stale) writeFileSync(new URL(name, folder), text);
  console.log(`docs: ${pages.size} derived files, ${check ? 'all up to date' : `${stale.length} written`}`);
}

await main(readArguments('npm run docs:build [-- --check]', { check: false }).check);
