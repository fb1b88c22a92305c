import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { temporaryFolder } from '../temporary-folder.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const EXAMPLE = join(ROOT, 'examples/frontend');

/** The manifest that an operator would give the gateway. */
export const MANIFEST = join(EXAMPLE, 'src/__generated__/persisted-documents.json');

/** The example's page on its own origin; it can be opened once it has been built for a gateway. */
export interface ExamplePage {
  readonly origin: string;
  build(gatewayUrl: string): void;
  close(): Promise<void>;
}

/** Serves the folder before the page is built, because gateway and page must know each other's address. */
export async function serveExamplePage(): Promise<ExamplePage> {
  const outDir = temporaryFolder();
  const server = await preview({ root: EXAMPLE, logLevel: 'error', build: { outDir }, preview: { port: 0 } });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The example listens nowhere.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    build(gatewayUrl) {
      const command = ['node_modules/vite/bin/vite.js', 'build', EXAMPLE, '--outDir', outDir, '--logLevel', 'error'];
      const env = { ...process.env, NODE_ENV: 'production', VITE_GATEWAY_URL: gatewayUrl };
      execFileSync(process.execPath, command, { cwd: ROOT, env, stdio: 'inherit' });
    },
    close: () => server.close(),
  };
}
