import { existsSync } from 'node:fs';
import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
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

/** The browser of this machine, which its users' browsers are like, or the older one that comes with the tests. */
export type Release = 'current' | 'bundled';

/** The machine's own: what `CHROMIUM_PATH` names, nothing if it is empty, else the program `chromium`. */
const CURRENT = process.env['CHROMIUM_PATH'] ?? installed();

/** Those that there are, the one for all tests first. */
export const RELEASES: readonly Release[] = CURRENT === '' ? ['bundled'] : ['current', 'bundled'];

/** Starts a Chromium. */
export async function startChromium(release: Release): Promise<Chromium> {
  const executablePath = release === 'current' ? CURRENT : await unpacked();
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 120_000 });
  const freshContext = (options?: BrowserContextOptions) => browser.newContext(options);
  return { context: await freshContext(), freshContext, close: () => browser.close() };
}

/** Debian's package `chromium` has a program of that name. */
function installed(): string {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'chromium'));
  return paths.find((path) => existsSync(path)) ?? '';
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
