import { defineConfig } from 'vite';
import { writesAt } from '../shared/writes.ts';
import manifest from './src/__generated__/persisted-documents.json' with { type: 'json' };

// On the same site as the gateway: `localhost` would be another site, from which the cookie is not sent.
const address = { host: '127.0.0.1', port: 5173, strictPort: true };

const writes = writesAt('/write', () => ({
  gateway: process.env['VITE_GATEWAY_URL'] ?? 'http://127.0.0.1:4000',
  key: process.env['WRITE_KEY'] ?? '',
  manifest,
}));

export default defineConfig({ server: address, preview: address, plugins: [writes] });
