import { tell } from './page-state.js';

/**
 * Puts a text into the clipboard and says so. Browsers have none for pages that came over plain HTTP from elsewhere:
 * there the text is shown for copying by hand.
 */
export async function copyText(text: string, done: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    window.prompt('This browser does not let the page copy. Copy it yourself:', text);
  }
}
