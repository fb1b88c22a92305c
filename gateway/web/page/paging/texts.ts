import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** Texts of following the pages of a list. */
export const PAGING_TEXTS = defineTexts({
  en: {
    allPages: 'All pages …',
    following: 'All pages',
    loading: 'Loading …',
    rows: (count: number) => countInEnglish(count, 'row'),
    calls: (count: number) => countInEnglish(count, 'call'),
    waits: (service: string, time: string) => `${service} allows no more calls for ${time}: continues then.`,
    cancel: 'Cancel',
    atMost: 'at most',
    rowsUnit: 'rows',
    start: 'Start',
    busy: 'Pages of another tab are still being followed.',
    addPageInfo: 'Add pageInfo',
    pagesUnknown: 'The source does not report how many rows there are. Each page costs at most about:',
    pages: (count: number) => `${countInEnglish(count, 'more page')}. They cost at most about:`,
    quotaUnknown: 'its quota is unknown.',
    quotaLeft: (remaining: string, limit: string, time: string) =>
      `${remaining} of ${limit} are left; resets in ${time}.`,
    quotaShort: 'When they are spent, it waits for the reset.',
    all: (rows: string) => `all ${rows}`,
    stoppedAt: (rows: string) => `stopped at ${rows}`,
    cancelledAfter: (rows: string) => `cancelled after ${rows}`,
    stoppedAfter: (rows: string, why: string | null) => `stopped after ${rows}: ${why ?? 'no response'}`,
    onlyQueries: 'Only the lists of a query have pages.',
    withinPage: 'It was stopped within a page. Run the query again to follow all pages.',
    noPageInfo: (end: string, list: string) =>
      `The query does not select where the page ends: ${end} is missing beside ${list}.`,
    nested: (parents: string, field: string) =>
      `Each row of ${parents} has pages of its own of ${field}, and one query has one cursor. Query only one of these rows to follow them, or larger pages (first).`,
  },
  fr: {
    allPages: 'Toutes les pages …',
    following: 'Toutes les pages',
    loading: 'Chargement …',
    rows: (count) => countInFrench(count, 'ligne'),
    calls: (count) => countInFrench(count, 'appel'),
    waits: (service, time) => `${service} n’autorise plus d’appels pendant ${time} : la suite vient après.`,
    cancel: 'Annuler',
    atMost: 'au plus',
    rowsUnit: 'lignes',
    start: 'Commencer',
    busy: 'Les pages d’un autre onglet sont encore en cours.',
    addPageInfo: 'Ajouter pageInfo',
    pagesUnknown: 'La source ne dit pas combien de lignes il y a. Chaque page coûte au plus environ :',
    pages: (count) => `${countInFrench(count, 'page')} de plus, qui coûtent au plus environ :`,
    quotaUnknown: 'son quota est inconnu.',
    quotaLeft: (remaining, limit, time) => `il en reste ${remaining} sur ${limit} ; remise à zéro dans ${time}.`,
    quotaShort: 'Quand ils sont épuisés, la suite attend la remise à zéro.',
    all: (rows) => `en tout ${rows}`,
    stoppedAt: (rows) => `arrêté à ${rows}`,
    cancelledAfter: (rows) => `annulé après ${rows}`,
    stoppedAfter: (rows, why) => `arrêté après ${rows} : ${why ?? 'pas de réponse'}`,
    onlyQueries: 'Seules les listes d’une requête de lecture ont des pages.',
    withinPage: 'L’arrêt est tombé au milieu d’une page. Relancez la requête pour suivre toutes les pages.',
    noPageInfo: (end, list) => `La requête ne dit pas où finit la page : ${end} manque à côté de ${list}.`,
    nested: (parents, field) =>
      `Chaque ligne de ${parents} a ses propres pages de ${field}, et une requête n’a qu’un curseur. Interrogez une seule de ces lignes, ou de plus grandes pages (first).`,
  },
});
