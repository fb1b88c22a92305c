import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
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

/** A section of an example's page, which all examples have under the same names. */
export const sectionOf = (page: Page, label: string) => page.locator(`section[aria-label="${label}"]`);

/** Searches for a commune and chooses it; the radius only where the page has a field for it. */
export async function searchAround(page: Page, commune: string): Promise<void> {
  await page.getByLabel('Commune', { exact: true }).fill(commune);
  const radius = page.getByLabel('Kilometres');
  if ((await radius.count()) > 0) await radius.fill('100');
  await page.getByRole('button', { name: 'Search' }).click();
  await sectionOf(page, 'Communes').getByRole('button', { name: commune, exact: true }).click();
}

/** Logs in over the pages of the platform; resolves once the browser is back. */
export async function logInByPages(
  page: Page,
  user: { readonly email: string; readonly password: string },
): Promise<void> {
  const back = new URL('/', page.url()).href;
  await page.getByRole('link', { name: 'Log in' }).click();
  await page.fill('input[name=email]', user.email);
  await page.fill('input[name=password]', user.password);
  await page.click('button[type=submit]');
  await page.click('button:not([name])');
  await page.waitForURL(back);
}
