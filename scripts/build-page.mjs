// Bundles the analyst page to dist/page when it is stale: hashed files, compressed once here, not at every request.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesBelow, isStale, root } from './stale.mjs';

/** Where the page lies when it is built. */
export const PAGE_FOLDER = join(root, 'dist', 'page');
export const PAGE_SOURCES = join('gateway', 'web', 'page');

const STAMP = join(PAGE_FOLDER, '.built');

/** The best: 2 % less than quality 10, which the first load needs to stay below 1.3 MB. It costs ten seconds, once. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };

/** Builds the page if one of its sources is newer; rejects when the bundler is not installed. */
export async function buildPage() {
  const own = ['package.json', 'scripts/build-page.mjs', 'schema/trace.ts', 'gateway/web/read-example.ts'];
  const folders = [PAGE_SOURCES, 'gateway/web/rows', 'gateway/web/examples'];
  if (!isStale(STAMP, [...own, ...folders.flatMap(filesBelow)])) return;
  console.log('Building the analyst page …');
  await bundle();
  const assets = join(PAGE_FOLDER, 'assets');
  await Promise.all(readdirSync(assets).map((name) => compress(join(assets, name))));
  writeFileSync(STAMP, '');
}

async function bundle() {
  const [{ build }, { default: react }] = await Promise.all([import('vite'), import('@vitejs/plugin-react')]);
  await build({
    configFile: false,
    root: join(root, PAGE_SOURCES),
    base: '/graphiql/',
    logLevel: 'error',
    plugins: [react()],
    worker: { format: 'es' },
    build: {
      outDir: PAGE_FOLDER,
      emptyOutDir: true,
      target: 'es2023',
      // An image as a data: address would need a word in the policy.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 5000,
      reportCompressedSize: false,
    },
  });
}

async function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, BROTLI));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await buildPage();
