import { defineTexts } from '../language/texts.js';

/** Texts of the buttons beside the editor. */
export const TOOLBAR_TEXTS = defineTexts({
  en: {
    copyLink: 'Copy a link to this query',
    linkCopied: 'Link copied: query and variables, no keys.',
  },
  fr: {
    copyLink: 'Copier un lien vers cette requête',
    linkCopied: 'Lien copié : requête et variables, sans clés.',
  },
});
