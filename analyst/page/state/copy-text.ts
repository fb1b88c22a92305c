import { textsNow } from '../language/texts.js';
import { notify, type Say } from './page-state.js';
import { COPY_TEXTS } from './texts.js';

/**
 * Copies a text to the clipboard and shows a notice. Without a clipboard, as on pages over plain HTTP from another
 * host, the text is shown for copying by hand.
 */
export async function copyText(text: string, done: Say): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    notify(done);
  } catch {
    window.prompt(textsNow(COPY_TEXTS).byHand, text);
  }
}
