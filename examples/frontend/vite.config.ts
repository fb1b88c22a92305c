import { defineConfig } from 'vite';

// On the same site as the gateway: `localhost` would be another site, from which the cookie is not sent.
const address = { host: '127.0.0.1', port: 5173, strictPort: true };

export default defineConfig({ server: address, preview: address });
