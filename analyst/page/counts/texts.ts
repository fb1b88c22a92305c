import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the counts. */
export const COUNT_TEXTS = defineTexts({
  en: {
    countBy: 'Count by',
    and: 'and by',
    numbers: 'Numbers of',
    show: 'Bars show',
    figures: { rows: 'rows', sum: 'sum', mean: 'mean', median: 'median', min: 'least', max: 'greatest' },
    none: 'none',
    groups: (groups: number, rows: number) => `${countInEnglish(groups, 'group')} of ${countInEnglish(rows, 'row')}`,
    first: (count: number) => `The first ${count.toLocaleString('en')} are drawn; files have them all.`,
    counts: 'Counts',
    bar: 'Bar',
    noRows: 'There are no rows to count.',
    map: (figure: string) => `Map of départements by ${figure}`,
    notPlaced: (count: number) => `${countInEnglish(count, 'group')} not on the map.`,
    atSource: 'counted at the source, of all missions of this selection',
    others: 'others',
  },
  fr: {
    countBy: 'Compter par',
    and: 'et par',
    numbers: 'Nombres de',
    show: 'Barres selon',
    figures: { rows: 'lignes', sum: 'somme', mean: 'moyenne', median: 'médiane', min: 'minimum', max: 'maximum' },
    none: 'aucune valeur',
    groups: (groups, rows) => `${countInFrench(groups, 'groupe')} de ${countInFrench(rows, 'ligne')}`,
    first: (count) => `Les ${count.toLocaleString('fr')} premiers sont dessinés ; les fichiers ont tout.`,
    counts: 'Répartition',
    bar: 'Barre',
    noRows: 'Il n’y a aucune ligne à compter.',
    map: (figure) => `Carte des départements par ${figure}`,
    notPlaced: (count) => `${countInFrench(count, 'groupe')} hors de la carte.`,
    atSource: 'comptés à la source, de toutes les missions de cette sélection',
    others: 'autres',
  },
});
