import { notify } from './page-state.js';

/**
 * Copies a text to the clipboard and shows a notice. Without a clipboard, as on pages over plain HTTP from another host,
 * the text is shown for copying by hand.
 */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(done);
  } catch {
    window.prompt('This browser does not let the page copy. Copy it yourself:', text);
  }
}
