import bundled from '@sparticuz/chromium';
import { type BrowserContext, chromium } from 'playwright-core';

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
  freshContext(): Promise<BrowserContext>;
  close(): Promise<void>;
}

/** Starts Chromium: the one that `CHROMIUM_PATH` names, else the one that comes with the tests. */
export async function startChromium(): Promise<Chromium> {
  const executablePath = process.env['CHROMIUM_PATH'] ?? (await bundled.executablePath());
  const browser = await chromium.launch({ executablePath, args: ARGUMENTS });
  const freshContext = () => browser.newContext();
  return { context: await freshContext(), freshContext, close: () => browser.close() };
}
