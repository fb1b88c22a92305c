import { defineConfig } from 'vite';

// An address of the gateway's own site: `localhost` would be another one, to which its cookie is not sent.
const address = { host: '127.0.0.1', port: 5173, strictPort: true };

export default defineConfig({ server: address, preview: address });
