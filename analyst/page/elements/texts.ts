import { defineTexts } from '../language/texts.js';

/** Texts in place of a part of the page that failed. */
export const ELEMENT_TEXTS = defineTexts({
  en: {
    failed: 'This part of the page failed:',
    reloadHint: 'If it fails again, load the page again: it comes back with the queries of its tabs.',
    retry: 'Try again',
    reload: 'Load the page again',
  },
  fr: {
    failed: 'Cette partie de la page a échoué :',
    reloadHint: 'Si elle échoue encore, rechargez la page : elle revient avec les requêtes de ses onglets.',
    retry: 'Réessayer',
    reload: 'Recharger la page',
  },
});
