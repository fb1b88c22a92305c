import { defineConfig, type Plugin } from 'vite';
import { writesAt } from '../shared/writes.ts';
import manifest from './src/__generated__/persisted-documents.json' with { type: 'json' };

// On the same site as the gateway: `localhost` would be another site, from which the cookie is not sent.
const address = { host: '127.0.0.1', port: 5173, strictPort: true };

const writes = writesAt('/write', () => ({
  gateway: process.env['VITE_GATEWAY_URL'] ?? 'http://127.0.0.1:4000',
  key: process.env['WRITE_KEY'] ?? '',
  // The compiler writes hashes without the name of their algorithm.
  manifest: Object.fromEntries(Object.entries(manifest).map(([hash, text]) => [`sha256:${hash}`, text])),
}));

const TAG = /graphql`\s*(?:query|mutation|fragment) (\w+)[^`]*`/g;

/** Puts in the place of each `graphql` tag what the compiler made of it, as Relay's plugin for Babel does. */
const tags: Plugin = {
  name: 'graphql-tags',
  enforce: 'pre',
  transform(code, file) {
    if (!file.endsWith('.tsx')) return null;
    const names = [...code.matchAll(TAG)].map(([, name]) => name);
    const imports = names.map((name) => `import ${name}Artifact from './__generated__/${name}.graphql.js';`);
    return { code: `${imports.join(' ')}${code.replace(TAG, '$1Artifact')}`, map: null };
  },
};

export default defineConfig({ server: address, preview: address, plugins: [tags, writes] });
