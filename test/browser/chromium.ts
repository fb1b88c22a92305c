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
  // Moving young objects would be a fifteenth of the work of a page that is loaded.
  '--js-flags=--min-semi-space-size=16',
];

/** A real browser with an empty profile. */
export interface Chromium {
  readonly context: BrowserContext;
  /** Another empty profile, which shares no storage, cookies or cache with the first. */
  freshContext(options?: BrowserContextOptions): Promise<BrowserContext>;
  close(): Promise<void>;
}

/**
 * Each is the program of Debian's package of that name. They are one browser: the first has no windows, and loads a page
 * with 40 % less work.
 */
const PROGRAMS = ['chromium-headless-shell', 'chromium'];

/** The machine's own, which its users' browsers are like: what `CHROMIUM_PATH` names, nothing if it is empty. */
const CURRENT = process.env['CHROMIUM_PATH'] ?? installed();

/** Starts the machine's own Chromium, or else the older one that comes with the tests. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = CURRENT === '' ? await unpacked() : CURRENT;
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS, timeout: 120_000 });
  const freshContext = (options?: BrowserContextOptions) => browser.newContext(options);
  return { context: await freshContext(), freshContext, close: () => browser.close() };
}

function installed(): string {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const paths = PROGRAMS.flatMap((program) => folders.map((folder) => join(folder, program)));
  const path = paths.find((path) => existsSync(path));
  if (path === undefined)
    console.log(`left out: a current Chromium, which is not installed (\`apt-get install ${PROGRAMS[0]}\`)`);
  return path ?? '';
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
