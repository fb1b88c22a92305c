import { defineTexts, textsNow } from '../state/language.js';
import { notify, type Say } from '../state/page-state.js';

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

/** Downloads a file in the browser. */
export function download(name: string, mediaType: string, parts: Iterable<string | Uint8Array>): void {
  const blob = new Blob([...parts] as BlobPart[], { type: mediaType });
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}

/** Texts of copying. */
const COPY_TEXTS = defineTexts({
  en: { byHand: 'This browser does not let the page copy. Copy it yourself:' },
  fr: { byHand: 'Ce navigateur ne laisse pas la page copier. Copiez vous-même :' },
});
