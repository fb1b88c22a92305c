// Hooks of Node's loader: a source is loaded as it was compiled to `dist/`, under its own name.
import { readFile } from 'node:fs/promises';

const ROOT = new URL('../../', import.meta.url).href;
const SOURCE = /\.ts(?:\?|$)/;

const isSource = (url) => url?.startsWith(ROOT) === true && SOURCE.test(url);

export function resolve(specifier, context, next) {
  const isOther = !specifier.startsWith('.') || specifier.endsWith('.json');
  if (isOther || !isSource(context.parentURL)) return next(specifier, context);
  const { href } = new URL(specifier, context.parentURL);
  return { url: href.replace(/\.js$/, '.ts'), format: 'module', shortCircuit: true };
}

export async function load(url, context, next) {
  if (!isSource(url)) return next(url, context);
  const [path] = url.slice(ROOT.length).split('?');
  const source = await readFile(new URL(`dist/${path.replace(/\.ts$/, '.js')}`, ROOT));
  return { format: 'module', source, shortCircuit: true };
}
