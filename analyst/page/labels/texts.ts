import { defineTexts } from '../state/language.js';

/** The names of the views. */
export const VIEW_TEXTS = defineTexts({
  en: { JSON: 'JSON', Table: 'Table', Counts: 'Counts', Map: 'Map', Trace: 'Trace' },
  fr: { JSON: 'JSON', Table: 'Tableau', Counts: 'Répartition', Map: 'Carte', Trace: 'Trace' },
});
