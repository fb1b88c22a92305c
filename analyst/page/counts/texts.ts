import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the counts. */
export const COUNT_TEXTS = defineTexts({
  en: {
    exportAs: 'Export',
    countBy: 'Count by',
    and: 'and by',
    count: 'count',
    none: 'none',
    groups: (groups: number, rows: number) => `${countInEnglish(groups, 'group')} of ${countInEnglish(rows, 'row')}`,
    first: (count: number) => `The first ${count.toLocaleString('en')} are drawn; files have them all.`,
    counts: 'Counts',
    bar: 'Bar',
    noRows: 'There are no rows to count.',
    map: 'Map of départements by count',
    notPlaced: (count: number) => `${countInEnglish(count, 'group')} not on the map.`,
    others: 'others',
  },
  fr: {
    exportAs: 'Exporter',
    countBy: 'Compter par',
    and: 'et par',
    count: 'nombre',
    none: 'aucune valeur',
    groups: (groups, rows) => `${countInFrench(groups, 'groupe')} de ${countInFrench(rows, 'ligne')}`,
    first: (count) => `Les ${count.toLocaleString('fr')} premiers sont dessinés ; les fichiers ont tout.`,
    counts: 'Répartition',
    bar: 'Barre',
    noRows: 'Il n’y a aucune ligne à compter.',
    map: 'Carte des départements par nombre',
    notPlaced: (count) => `${countInFrench(count, 'groupe')} hors de la carte.`,
    others: 'autres',
  },
});
