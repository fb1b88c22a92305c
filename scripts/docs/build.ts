import { readFileSync } from 'node:fs';
import { ERRORS } from '../../kernel/errors.js';
import { VARIABLE_GROUPS } from '../../runtime/configuration/configuration-variables.js';
import { deriveFiles } from '../../schema/derived-files.js';
import { readArguments } from '../arguments.mjs';
import { readApi, readReleased } from './api.js';
import { configurationPage, errorsPage, withDerived } from './pages.js';
import { schemaChanges } from './schema-changes.js';

/* `npm run docs:build` writes what follows from the code in pages; with `--check` it fails if one is out of date. */

const { check } = readArguments('npm run docs:build [-- --check]', { check: false });
const file = (name: string) => new URL(`../../${name}`, import.meta.url);
const changes = readFileSync(file('docs/changes.md'), 'utf8');
const pages = [
  [file('docs/errors.md'), errorsPage(ERRORS)],
  [file('docs/configuration.md'), configurationPage(VARIABLE_GROUPS)],
  [file('docs/changes.md'), withDerived(changes, 'schema changes', await schemaChanges(readReleased(), readApi()))],
] as const;
deriveFiles(pages, 'npm run docs:build', check);
