import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import bundled from '@sparticuz/chromium';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** Our own arguments, because those of the package would switch off web security. Nothing leaves the machine. */
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
  /** Another empty profile, which shares no storage, cookies or cache with the first. */
  freshContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** Starts the Chromium that `CHROMIUM_PATH` names, else the one that comes with the tests. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await unpacked());
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 120_000 });
  const freshContext = (options?: BrowserContextOptions) => browser.newContext(options);
  return { context: await freshContext(), freshContext, close: () => browser.close() };
}

/** The package's browser (@sparticuz/chromium 143.0.4), unpacked once per machine. */
const UNPACKED = join(tmpdir(), 'passerelle-chromium-143.0.4');

/**
 * The package unpacks into the directory for temporary files and takes whatever is there as complete, even if another
 * process is still writing it or was killed. Here it unpacks into its own folder, renamed once complete.
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
    // If another process was faster, its folder is just as good.
    await rename(own, UNPACKED).catch(() => rm(own, { recursive: true }));
  }
  return join(UNPACKED, 'chromium');
}
