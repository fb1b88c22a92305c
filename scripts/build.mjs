// Compiles to dist/ what is newer than its last build, and says so; otherwise it costs a few milliseconds.
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildPage, PAGE_FOLDER } from './build-page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const dist = join(root, 'dist');
const page = join('gateway', 'web', 'page');

const server = {
  stamp: join(dist, '.built'),
  sources: ['main.ts', 'tsconfig.json', 'tsconfig.build.json', 'package.json', 'scripts/build.mjs'].concat(
    ...['schema', 'runtime', 'subgraphs', 'gateway', 'sandbox'].map(filesBelow),
  ),
};
// What the page shares with the server changes both.
const browser = {
  stamp: join(PAGE_FOLDER, '.built'),
  sources: ['package.json', 'scripts/build-page.mjs', 'schema/trace.ts', 'gateway/web/read-example.ts'].concat(
    ...[page, 'gateway/web/rows', 'gateway/web/examples'].map(filesBelow),
  ),
};
server.sources = server.sources.filter((file) => !file.startsWith(page));

if (isStale(server)) {
  console.log('Building …');
  buildServer();
}
if (isStale(browser)) {
  console.log('Building the analyst page …');
  try {
    await buildPage();
    writeFileSync(browser.stamp, '');
  } catch (error) {
    // A server without the page still answers; /graphiql is then the plain page.
    console.log(`The analyst page was not built: ${error.message}`);
  }
}

function buildServer() {
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist)) {
    if (join(dist, name) !== PAGE_FOLDER) rmSync(join(dist, name), { recursive: true, force: true });
  }
  rmSync(join(root, 'node_modules/.cache/passerelle/build.tsbuildinfo'), { force: true });
  execFileSync(process.execPath, [join(root, 'node_modules/typescript/bin/tsc'), '-p', 'tsconfig.build.json'], {
    cwd: root,
    stdio: 'inherit',
  });
  // What is read at run time but not compiled: SDL, examples, scripts of the store, files of the plain pages.
  for (const file of server.sources.filter(
    (name) => /\.(graphql|lua|html|css|svg|js)$/.test(name) && name.includes('/'),
  )) {
    cpSync(join(root, file), join(dist, file));
  }
  writeFileSync(server.stamp, '');
}

function filesBelow(folder) {
  return readdirSync(join(root, folder), { recursive: true }).map((file) => join(folder, file));
}

function isStale({ stamp, sources }) {
  return !existsSync(stamp) || sources.some((file) => statSync(join(root, file)).mtimeMs > statSync(stamp).mtimeMs);
}
