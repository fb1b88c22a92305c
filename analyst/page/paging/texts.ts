import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of following the pages of a list. */
export const PAGING_TEXTS = defineTexts({
  en: {
    allPages: 'All pages …',
    following: 'All pages',
    loading: 'Loading …',
    rows: (count: number) => countInEnglish(count, 'row'),
    calls: (count: number) => countInEnglish(count, 'call'),
    cancel: 'Cancel',
    atMost: 'at most',
    rowsUnit: 'rows',
    start: 'Start',
    busy: 'The pages of another tab are still loading.',
    addPageInfo: 'Add pageInfo',
    pagesUnknown: 'The source does not report how many rows there are. Each page costs:',
    pages: (count: number) =>
      `${countInEnglish(count, 'more page')}. When a quota is spent, loading stops; started again later, it goes on. Each costs:`,
    all: (rows: string) => `all ${rows}`,
    allGiven: (rows: string) => `${rows}: all that the source returns; it may have more`,
    stoppedAt: (rows: string) => `stopped at ${rows}`,
    cancelledAfter: (rows: string) => `cancelled after ${rows}`,
    stoppedAfter: (rows: string, why: string | null) => `stopped after ${rows}: ${why ?? 'no response'}`,
    onlyQueries: 'Only the lists of a query have pages.',
    withinPage: 'Loading stopped in the middle of a page. Run the query again to load all pages.',
    noPageInfo: (end: string, list: string) =>
      `The query does not select where the page ends: ${end} is missing beside ${list}.`,
    nested: (parents: string, field: string) =>
      `Each row of ${parents} has its own pages of ${field}, but a query has only one cursor. Query just one of these rows, or larger pages (first).`,
  },
  fr: {
    allPages: 'Toutes les pages …',
    following: 'Toutes les pages',
    loading: 'Chargement …',
    rows: (count) => countInFrench(count, 'ligne'),
    calls: (count) => countInFrench(count, 'appel'),
    cancel: 'Annuler',
    atMost: 'au plus',
    rowsUnit: 'lignes',
    start: 'Commencer',
    busy: 'Les pages d’un autre onglet sont encore en cours.',
    addPageInfo: 'Ajouter pageInfo',
    pagesUnknown: 'La source ne dit pas combien de lignes il y a. Chaque page coûte :',
    pages: (count) =>
      `${countInFrench(count, 'page')} de plus. Un quota épuisé arrête la lecture ; relancée plus tard, elle continue. Chacune coûte :`,
    all: (rows) => `en tout ${rows}`,
    allGiven: (rows) => `${rows} : tout ce que donne la source, qui en a peut-être d’autres`,
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
