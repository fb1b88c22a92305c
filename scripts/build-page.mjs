// Bundles the analyst page to dist/page if it is stale: hashed files, compressed once here rather than per request.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { filesBelow, fingerprintOf, isStale, root } from './stale.mjs';

/** Where the built page is. */
export const PAGE_FOLDER = join(root, 'dist', 'page');
export const PAGE_SOURCES = 'analyst/page';

const STAMP = join(PAGE_FOLDER, '.built');

/**
 * With quality 9, the first load, workers included, exceeds 1.3 MB; 11 saves 2 % more and takes three times as long.
 */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Parts of the editor that queries, variables and responses do not use: a tenth of its bytes. */
const LEFT_OUT = [
  ...['codeAction', 'codelens', 'colorPicker', 'diffEditor', 'diffEditorBreadcrumbs', 'dnd', 'documentSymbols'],
  ...['dropOrPasteInto', 'inPlaceReplace', 'inlayHints', 'inlineCompletions', 'inlineEdit', 'inlineEdits'],
  ...['inlineProgress', 'linkedEditing', 'rename', 'sectionHeaders', 'semanticTokens', 'stickyScroll'],
  ...['suggestInlineCompletions', 'inspectTokens', 'referenceSearch', 'standaloneGotoSymbolQuickAccess'],
  ...['anchorSelect', 'fontZoom', 'iPadShowKeyboard', 'parameterHints', 'smartSelect', 'toggleHighContrast'],
  ...['unicodeHighlighter', 'wordPartOperations'],
];

/** Builds the page if one of its sources has changed; rejects if the bundler is not installed. */
export async function buildPage() {
  const own = ['package.json', 'scripts/build-page.mjs', 'kernel/errors.ts', 'kernel/services.ts', 'kernel/trace.ts'];
  const folders = [PAGE_SOURCES, 'rows', 'analyst/questions'];
  const fingerprint = fingerprintOf([...own, ...folders.flatMap(filesBelow)]);
  if (!isStale(STAMP, fingerprint)) return;
  console.log('Building the analyst page …');
  await bundle();
  const assets = join(PAGE_FOLDER, 'assets');
  await Promise.all(readdirSync(assets).map((name) => compress(join(assets, name))));
  writeFileSync(STAMP, fingerprint);
}

async function bundle() {
  // Also in a test run: otherwise React's development build is bundled, which is larger and slower.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  await build({
    configFile: false,
    root: join(root, PAGE_SOURCES),
    base: '/graphiql/',
    logLevel: 'error',
    plugins: [leaveOut()],
    worker: { format: 'es' },
    build: {
      outDir: PAGE_FOLDER,
      emptyOutDir: true,
      target: 'es2023',
      // Images as data: addresses would need an exception in the policy.
      assetsInlineLimit: 0,
      chunkSizeWarningLimit: 5000,
      reportCompressedSize: false,
    },
  });
}

/** Removes the imports of `LEFT_OUT` from the two files that list the editor's parts. */
function leaveOut() {
  const names = new RegExp(`^import '.*/(?:${LEFT_OUT.join('|')})(?:/.*|\\.js)';$`, 'gm');
  return {
    name: 'leave-out',
    transform: (code, id) =>
      /monaco-editor.*\/(editor\.all|edcore\.main)\.js$/.test(id) ? code.replace(names, '') : null,
  };
}

async function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.br`, await promisify(brotliCompress)(bytes, BROTLI));
  writeFileSync(`${file}.gz`, await promisify(gzip)(bytes, { level: 9 }));
}
