import { describeExtent, type Extent } from '../../../rows/extent.js';
import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts on how much of a list there is, beside the rows and in files. */
export const EXTENT_TEXTS = defineTexts({
  en: {
    whole: 'the whole list',
    reason: (extent: Extent, path: string) => describeExtent(extent, path, 'en'),
    after: (read: number, rows: number, why: string) =>
      `cut after ${countInEnglish(read, 'row')}${read === rows ? '' : `, ${rows.toLocaleString('en')} of them in this file`}: ${why}`,
    counted: (rows: number, why: string) => `counts of ${countInEnglish(rows, 'row')}: ${why}`,
    failed: 'no response',
    cap: 'row limit reached',
    cancelled: 'cancelled',
    question: 'Question',
    countedBy: 'Counted by',
    countedRows: 'Rows counted',
    inParis: 'months are those of Paris',
  },
  fr: {
    whole: 'liste complète',
    reason: (extent, path) => describeExtent(extent, path, 'fr'),
    after: (read, rows, why) =>
      `coupé après ${countInFrench(read, 'ligne')}${read === rows ? '' : `, dont ${rows.toLocaleString('fr')} dans ce fichier`} : ${why}`,
    counted: (rows, why) => `comptes de ${countInFrench(rows, 'ligne')} : ${why}`,
    failed: 'pas de réponse',
    cap: 'limite de lignes atteinte',
    cancelled: 'annulé',
    question: 'Question posée',
    countedBy: 'Compté par',
    countedRows: 'Lignes comptées',
    inParis: 'les mois sont ceux de Paris',
  },
});

/** Texts of one row with all its fields. */
export const ROW_TEXTS = defineTexts({
  en: {
    row: 'Row',
    copy: 'Copy',
    copied: 'Row copied: names and values.',
    link: 'Link',
    linkHint: 'Copy a link to the query with this row alone',
    close: 'Close',
    previous: 'Previous row',
    next: 'Next row',
    place: (at: number, of: number) => `${at.toLocaleString('en')} of ${of.toLocaleString('en')}`,
    empty: (names: string) => `Empty: ${names}`,
  },
  fr: {
    row: 'Ligne',
    copy: 'Copier',
    copied: 'Ligne copiée : noms et valeurs.',
    link: 'Lien',
    linkHint: 'Copier un lien vers la requête avec cette seule ligne',
    close: 'Fermer',
    previous: 'Ligne précédente',
    next: 'Ligne suivante',
    place: (at, of) => `${at.toLocaleString('fr')} sur ${of.toLocaleString('fr')}`,
    empty: (names) => `Vides : ${names}`,
  },
});
