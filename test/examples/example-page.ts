import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { preview } from 'vite';
import { temporaryFolder } from '../temporary-folder.js';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The manifest of an example, which an operator would give the gateway. */
export const manifestOf = (name: string) => join(folderOf(name), 'src/__generated__/persisted-documents.json');

const folderOf = (name: string) => join(ROOT, 'examples', name);

/** An example's page on its own origin; it can be opened once it has been built for a gateway. */
export interface ExamplePage {
  readonly origin: string;
  build(gatewayUrl: string): void;
  close(): Promise<void>;
}

/** Serves the folder before the page is built, because gateway and page must know each other's address. */
export async function serveExamplePage(name: string): Promise<ExamplePage> {
  const root = folderOf(name);
  const outDir = temporaryFolder();
  const server = await preview({ root, logLevel: 'error', build: { outDir }, preview: { port: 0 } });
  const address = server.httpServer.address();
  if (address === null || typeof address === 'string') throw new Error('The example listens nowhere.');
  return {
    origin: `http://127.0.0.1:${address.port}`,
    build(gatewayUrl) {
      const command = ['node_modules/vite/bin/vite.js', 'build', root, '--outDir', outDir, '--logLevel', 'error'];
      const production = { ...process.env, NODE_ENV: 'production', VITE_GATEWAY_URL: gatewayUrl };
      execFileSync(process.execPath, command, { cwd: ROOT, env: production, stdio: 'inherit' });
    },
    close: () => server.close(),
  };
}
