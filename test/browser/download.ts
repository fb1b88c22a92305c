import { readFile } from 'node:fs/promises';
import type { Download, Page } from 'playwright-core';

/** Presses a button, in its menu if it is in one. */
export async function press(page: Page, name: string): Promise<void> {
  const button = page.getByRole('button', { name, exact: true });
  const menu = page.locator('.pa-menu', { has: page.locator(`button:text-is("${name}")`) }).locator('summary');
  await button.or(menu).first().waitFor();
  if ((await button.count()) === 0) await menu.click();
  await button.click();
}

/** Presses a button that downloads a file; returns its name and bytes. */
export async function downloaded(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const waiting: Promise<Download> = page.waitForEvent('download');
  await press(page, button);
  const download = await waiting;
  return { name: download.suggestedFilename(), bytes: await readFile(await download.path()) };
}
