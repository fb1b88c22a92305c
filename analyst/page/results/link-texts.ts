import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** Texts of the bar of the list, of files and of data links. */
export const LINK_TEXTS = defineTexts({
  en: {
    list: 'List',
    wholeResponse: 'the whole response',
    hints: {
      csv: 'For programs: commas, decimal points, UTF-8. In a spreadsheet, import the columns as text.',
      'csv-fr':
        'For Excel in French: semicolons, decimal commas. Opening it by double click loses leading zeros: import as text.',
      xlsx: 'A workbook: real dates and numbers, SIRET and INSEE codes unchanged; a second sheet says where the rows come from.',
      geojson: 'For a map: one feature per row, longitude first.',
      json: 'Download the whole response',
    },
    copyLink: 'Copy data link',
    copyLinkHint: 'Copy a link to these rows for a spreadsheet or a notebook',
    panel: 'Data link …',
    forTool: 'For',
    linkAlone: 'a link',
    format: 'Format',
    allPages: 'All pages',
    copy: 'Copy',
    copied: 'Copied.',
    linkCopied: 'Data link copied: your own keys are not in it.',
    tooLong: (characters: number, most: number) =>
      `No data link: it would have ${countInEnglish(characters, 'character')}, but the gateway accepts only ${most.toLocaleString('en')}. Shorten the query or its variables, hide columns or remove filters, or save a file.`,
    refused: (why: string) => `No data link: the gateway would refuse it. ${why}`,
    requestsAll: 'It requests all pages.',
    onePage: (rows: number) =>
      `It returns this page of ${countInEnglish(rows, 'row')}: load All pages first for a link to all rows.`,
    mayBeOnePage: 'It may return only one page: add pageInfo to the query to know, and load All pages for all rows.',
    noKeys: 'Columns, filters and order are those of the toolbar. Your own keys are not in it.',
    tested: 'These lines are run by our tests.',
    untested: 'These lines are not run by our tests.',
  },
  fr: {
    list: 'Liste',
    wholeResponse: 'toute la réponse',
    hints: {
      csv: 'Pour les programmes : virgules, points décimaux, UTF-8. Dans un tableur, importez les colonnes en texte.',
      'csv-fr': 'Pour Excel en français : points-virgules, virgules décimales. Un double-clic perd les zéros initiaux.',
      xlsx: 'Un classeur : vraies dates et vrais nombres, SIRET et codes INSEE tels quels ; une feuille dit d’où.',
      geojson: 'Pour une carte : un objet par ligne, longitude d’abord.',
      json: 'Télécharger toute la réponse',
    },
    copyLink: 'Copier le lien de données',
    copyLinkHint: 'Copier un lien vers ces lignes pour un tableur ou un carnet',
    panel: 'Lien de données …',
    forTool: 'Pour',
    linkAlone: 'un lien',
    format: 'Forme',
    allPages: 'Toutes les pages',
    copy: 'Copier',
    copied: 'Copié.',
    linkCopied: 'Lien de données copié : vos clés n’y sont pas.',
    tooLong: (characters, most) =>
      `Pas de lien de données : il aurait ${countInFrench(characters, 'caractère')}, et la passerelle en accepte ${most.toLocaleString('fr')}. Raccourcissez la requête ou ses variables, masquez des colonnes, retirez des filtres ou enregistrez un fichier.`,
    refused: (why) => `Pas de lien de données : la passerelle le refuserait. ${why}`,
    requestsAll: 'Il demande toutes les pages.',
    onePage: (rows) =>
      `Il rend cette page de ${countInFrench(rows, 'ligne')} : lisez d’abord toutes les pages pour un lien vers toutes.`,
    mayBeOnePage:
      'Il ne rend peut-être qu’une page : ajoutez pageInfo à la requête pour le savoir, et lisez toutes les pages pour un lien vers toutes.',
    noKeys: 'Colonnes, filtres et ordre sont ceux de la barre d’outils. Vos clés n’y sont pas.',
    tested: 'Nos tests exécutent ces lignes.',
    untested: 'Nos tests n’exécutent pas ces lignes.',
  },
});
