// Writes biome.json from the tables beside this file; `--check` fails if it differs, or if a path in it leads nowhere.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { readArguments } from '../arguments.mjs';
import { ROOMS } from './rooms.mjs';
import { BASE, EXCEPTIONS } from './rules.mjs';

const { check } = readArguments('npm run lint:config [-- --check]', { check: false });
const root = new URL('../../', import.meta.url).pathname;
const target = join(root, 'biome.json');

const HTTP = 'HTTP is spoken in subgraphs/rest, the listeners, the HTTP data source and the sandbox only.';
const ENVIRONMENT = { 'node:process': 'Only runtime/configuration/configuration.ts reads the environment.' };
const HTTP_MODULES = { undici: HTTP, 'node:http': HTTP, 'node:https': HTTP };

// Overrides of an option replace each other rather than adding up, so each room has the whole list.
const rooms = ROOMS.map(({ includes, forbidden, message, speaksHttp = false }) => ({
  includes,
  linter: {
    rules: {
      style: {
        noRestrictedImports: {
          level: 'error',
          options: {
            paths: { ...(!speaksHttp && HTTP_MODULES), ...ENVIRONMENT },
            patterns: [{ group: forbidden.map(importsOf), message }],
          },
        },
      },
    },
  },
}));
const exceptions = EXCEPTIONS.map(({ includes, rules }) => ({ includes, linter: { rules } }));
const unformatted = { includes: ['biome.json'], formatter: { enabled: false } };
/** Only where React is: everywhere, the plugin would take a third of the time. */
const effects = { includes: ['analyst/page/**'], plugins: ['./scripts/lint/effects.grit'] };
const overrides = [...rooms, ...exceptions, effects, unformatted].map(
  (override) => `\n    ${JSON.stringify(override)}`,
);
// One line per override: people read the tables, not biome.json.
const text = `${JSON.stringify(BASE, null, 2).slice(0, -2)},\n  "overrides": [${overrides.join()}\n  ]\n}\n`;

const dead = [
  ...[...ROOMS, ...EXCEPTIONS].flatMap(({ includes }) => includes.filter((path) => !leadsSomewhere(path))),
  ...ROOMS.flatMap(({ forbidden }) => forbidden.filter((path) => !existsSync(sourceOf(path)))),
];
if (dead.length > 0) fail(`These paths of scripts/lint do not exist: ${[...new Set(dead)].join(', ')}`);
if (!check) writeFileSync(target, text);
else if (readFileSync(target, 'utf8') !== text) fail('biome.json is not what scripts/lint says: npm run lint:config');

/** Pattern of the imports of a room, or of the program itself, which are all relative. */
function importsOf(path) {
  return path === 'main.ts' ? '**/main.js' : `**/${path}/**`;
}

/** The folder or file of a room; those in subgraphs/ may be named without that prefix. */
function sourceOf(path) {
  const direct = join(root, path);
  return existsSync(direct) ? direct : join(root, 'subgraphs', path);
}

/** Whether a pattern matches any file: a folder with all below it, a file, or names in one folder. */
function leadsSomewhere(path) {
  if (path.endsWith('/**')) return existsSync(join(root, path.slice(0, -3)));
  if (path.startsWith('**/')) return true;
  const folder = join(root, dirname(path));
  const [start, end] = basename(path).split('*');
  if (end === undefined) return existsSync(join(root, path));
  return existsSync(folder) && readdirSync(folder).some((name) => name.startsWith(start) && name.endsWith(end));
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
