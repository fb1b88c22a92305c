import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';

/** Clicks a button that downloads a file; returns its name and bytes. */
export async function downloaded(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const waiting: Promise<Download> = page.waitForEvent('download');
  await page.getByRole('button', { name: button, exact: true }).click();
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
