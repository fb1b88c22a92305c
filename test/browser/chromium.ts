import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundled from '@sparticuz/chromium';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Our own: those of the package would switch web security off. Nothing leaves the machine. */
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A real browser with an empty profile. */
export interface Chromium {
  readonly context: BrowserContext;
  /** Another empty profile: it knows nothing of the first one's storage, cookies and cache. */
  freshContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** Starts Chromium: the one that `CHROMIUM_PATH` names, else the one that comes with the tests. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await unpacked());
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 120_000 });
  const freshContext = (options?: BrowserContextOptions) => browser.newContext(options);
  return { context: await freshContext(), freshContext, close: () => browser.close() };
}

/** The browser of the package (@sparticuz/chromium 143.0.4), unpacked once for each machine. */
const UNPACKED = join(tmpdir(), 'passerelle-chromium-143.0.4');

/**
 * The package unpacks into the directory for temporary files and takes whatever lies there for whole, also what another
 * process is still writing or was stopped at. Here it unpacks into a folder of its own, which gets its name when it is
 * complete.
 */
async function unpacked(): Promise<string> {
  if (!existsSync(UNPACKED)) {
    const own = await mkdtemp(`${UNPACKED}-`);
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = own;
    await bundled.executablePath().finally(() => {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    });
    // Another process may have been faster: its folder is as good.
    await rename(own, UNPACKED).catch(() => rm(own, { recursive: true }));
  }
  return join(UNPACKED, 'chromium');
}
