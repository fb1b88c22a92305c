import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** Texts of the response pane. */
export const RESULT_TEXTS = defineTexts({
  en: {
    response: 'Response',
    views: 'View of the response',
    view: { JSON: 'JSON', Table: 'Table', Counts: 'Counts', Map: 'Map', Trace: 'Trace' },
    withExtensions: 'with extensions',
    running: 'Running …',
    responseFor: (values: string) => `Response for ${values}`,
    withoutValues: 'Response without values',
    earlierQuery: (values: string) => `Response to an earlier query${values === '' ? '' : ` (${values})`}`,
    changed: { query: 'The query has changed since. ', values: 'The values have changed since. ' },
    runAgain: 'Run again',
    empty: 'No response yet. Run the query with Ctrl-Enter.',
    evicted: 'This response was dropped to save memory for those of other tabs. Run the query again with Ctrl-Enter.',
    noData: 'This response has no data.',
    drawing: 'Drawing …',
    reading: 'Reading …',
    upstreamCalls: (calls: number, saved: number) =>
      `${countInEnglish(calls, 'upstream call')}${saved === 0 ? '' : `, ${saved.toLocaleString('en')} saved`}`,
  },
  fr: {
    response: 'Réponse',
    views: 'Vue de la réponse',
    view: { JSON: 'JSON', Table: 'Tableau', Counts: 'Comptes', Map: 'Carte', Trace: 'Trace' },
    withExtensions: 'avec extensions',
    running: 'En cours …',
    responseFor: (values) => `Réponse pour ${values}`,
    withoutValues: 'Réponse sans aucune valeur',
    earlierQuery: (values) => `Réponse à une requête antérieure${values === '' ? '' : ` (${values})`}`,
    changed: { query: 'La requête a changé depuis. ', values: 'Les valeurs ont changé depuis. ' },
    runAgain: 'Relancer',
    empty: 'Pas encore de réponse. Lancez la requête avec Ctrl-Entrée.',
    evicted:
      'Cette réponse a été mise de côté pour économiser la mémoire, après celles d’autres onglets. Relancez la requête avec Ctrl-Entrée.',
    noData: 'Cette réponse n’a pas de données.',
    drawing: 'Dessin en cours …',
    reading: 'Lecture en cours …',
    upstreamCalls: (calls, saved) =>
      `${countInFrench(calls, 'appel aux services', 'appels aux services')}${saved === 0 ? '' : `, ${countInFrench(saved, 'évité')}`}`,
  },
});
