import { defineTexts } from '../language/texts.js';

/** Texts of the buttons beside the editor. */
export const TOOLBAR_TEXTS = defineTexts({
  en: {
    copyLink: 'Copy a link to this query',
    linkCopied: 'Link copied: query and variables, no keys.',
    editorLater: 'The editor’s own menu follows when the page is reloaded.',
  },
  fr: {
    copyLink: 'Copier un lien vers cette requête',
    linkCopied: 'Lien copié : requête et variables, sans clés.',
    editorLater: 'Le menu de l’éditeur suivra quand la page sera rechargée.',
  },
});
