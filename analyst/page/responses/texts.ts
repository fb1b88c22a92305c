import { defineTexts } from '../language/texts.js';

/** Texts shown in place of a response. */
export const RESPONSE_TEXTS = defineTexts({
  en: { tooLarge: (size: string) => `${size} of JSON is too large for the editor. Use the table, or download it.` },
  fr: { tooLarge: (size) => `${size} de JSON sont trop pour l’éditeur. Voyez le tableau, ou téléchargez la réponse.` },
});
