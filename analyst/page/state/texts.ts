import { defineTexts } from '../language/texts.js';

/** Texts of copying. */
export const COPY_TEXTS = defineTexts({
  en: { byHand: 'This browser does not let the page copy. Copy it yourself:' },
  fr: { byHand: 'Ce navigateur ne laisse pas la page copier. Copiez vous-même :' },
});
