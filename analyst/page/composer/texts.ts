import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the composer. */
export const COMPOSER_TEXTS = defineTexts({
  en: {
    title: 'Compose a query',
    search: 'Find a field',
    hint: 'SIRET, postal code, open to minors …',
    how: 'Tick what the answer shall have: the query follows. Up and down move, right opens, left closes, Space ticks.',
    changes: 'Changes something',
    fieldsOf: (label: string) => `Fields of ${label}`,
    criteria: (count: number, label: string) => `${countInEnglish(count, 'criterion', 'criteria')} of ${label}`,
    required: 'required',
    written: (value: string) => `In the query: ${value}`,
    only: (type: string) => `Only ${type}`,
    unreadable: 'The query in the editor has a mistake: mend it there, or begin a new one.',
    begin: 'New',
    found: (count: number) => (count === 0 ? 'No field has these words.' : countInEnglish(count, 'field')),
    moreFields: (count: number) => countInEnglish(count, 'more field'),
    morePaths: (count: number) => countInEnglish(count, 'more path'),
  },
  fr: {
    title: 'Composer une requête',
    search: 'Trouver un champ',
    hint: 'SIRET, code postal, ouverte aux mineurs …',
    how: 'Cochez ce que la réponse doit avoir : la requête suit. Haut et bas vont d’un champ à l’autre, droite ouvre, gauche ferme, Espace coche.',
    changes: 'Ce qui modifie',
    fieldsOf: (label) => `Champs de ${label}`,
    criteria: (count, label) => `${countInFrench(count, 'critère')} de ${label}`,
    required: 'obligatoire',
    written: (value) => `Dans la requête : ${value}`,
    only: (type) => `Seulement ${type}`,
    unreadable: 'La requête de l’éditeur a une faute : corrigez-la, ou commencez-en une autre.',
    begin: 'Nouvelle',
    found: (count) => (count === 0 ? 'Aucun champ n’a ces mots.' : countInFrench(count, 'champ')),
    moreFields: (count) => countInFrench(count, 'champ de plus', 'champs de plus'),
    morePaths: (count) => countInFrench(count, 'chemin de plus', 'chemins de plus'),
  },
});
