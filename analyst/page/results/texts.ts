import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the response pane. */
export const RESULT_TEXTS = defineTexts({
  en: {
    response: 'Response',
    views: 'View of the response',
    view: { JSON: 'JSON', Table: 'Table', Counts: 'Counts', Map: 'Map', Trace: 'Trace' },
    withExtensions: 'with extensions',
    running: 'Running …',
    elapsed: (seconds: number) => countInEnglish(seconds, 's', 's'),
    empty: 'No response here. Run the query with Ctrl-Enter.',
    outcome: { incomplete: 'Incomplete', failed: 'Failed' },
    nothingCame: 'Nothing came: the errors above say why.',
    noListCame: 'The list did not come: the errors above say why. JSON has what did.',
    noData: 'This response has no data.',
    drawing: 'Drawing …',
    reading: 'Reading …',
    upstreamCalls: (calls: number, saved: number) =>
      `${countInEnglish(calls, 'upstream call')}${saved === 0 ? '' : `, ${saved.toLocaleString('en')} saved`}`,
  },
  fr: {
    response: 'Réponse',
    views: 'Vue de la réponse',
    view: { JSON: 'JSON', Table: 'Tableau', Counts: 'Répartition', Map: 'Carte', Trace: 'Trace' },
    withExtensions: 'avec extensions',
    running: 'En cours …',
    elapsed: (seconds) => countInFrench(seconds, 's', 's'),
    empty: 'Pas de réponse ici. Lancez la requête avec Ctrl-Entrée.',
    outcome: { incomplete: 'Incomplet', failed: 'Échec' },
    nothingCame: 'Rien n’est arrivé : les erreurs ci-dessus disent pourquoi.',
    noListCame: 'La liste n’est pas arrivée : les erreurs ci-dessus disent pourquoi. JSON a ce qui est venu.',
    noData: 'Cette réponse n’a pas de données.',
    drawing: 'Dessin en cours …',
    reading: 'Lecture en cours …',
    upstreamCalls: (calls, saved) =>
      `${countInFrench(calls, 'appel aux services', 'appels aux services')}${saved === 0 ? '' : `, ${countInFrench(saved, 'évité')}`}`,
  },
});

/** Texts of the bar of the list, of files and of data links. */
export const LINK_TEXTS = defineTexts({
  en: {
    codesOfGraph: 'names and codes of the graph',
    exportAs: 'Export',
    exportIncomplete: 'Export (incomplete)',
    share: 'Share',
    list: 'List',
    hints: {
      csv: 'For programs: commas, decimal points, UTF-8. In a spreadsheet, import the columns as text.',
      'csv-fr':
        'For Excel in French: semicolons, decimal commas, days first. It loses leading zeros: Excel keeps codes that have them.',
      xlsx: 'A workbook: real dates and numbers, SIRET and INSEE codes unchanged; a second sheet says where the rows come from.',
      geojson: 'For a map: one feature per row, longitude first.',
      json: 'Download the whole response',
    },
    copyLink: 'Copy data link',
    copyAs: (tool: string) => `Copy as ${tool}`,
    requestCopied: 'Request copied: your own keys are not in it.',
    copyLinkHint: 'Copy a link to these rows for a spreadsheet or a notebook',
    linkCopied: 'Data link copied: your own keys are not in it.',
    tooLong: (characters: number, most: number) =>
      `No data link: it would have ${countInEnglish(characters, 'character')}, but the gateway accepts only ${most.toLocaleString('en')}. Shorten the query or its variables, hide columns or remove filters, or save a file.`,
    refused: (why: string) => `No data link: the gateway would refuse it. ${why}`,
    requestsAll: 'It requests all pages.',
    onePage: (rows: number) =>
      `It returns this page of ${countInEnglish(rows, 'row')}: load All pages first for a link to all rows.`,
    mayBeOnePage: 'It may return only one page: add pageInfo to the query to know, and load All pages for all rows.',
  },
  fr: {
    codesOfGraph: 'noms et codes du graphe',
    exportAs: 'Exporter',
    exportIncomplete: 'Exporter (incomplet)',
    share: 'Partager',
    list: 'Liste',
    hints: {
      csv: 'Pour les programmes : virgules, points décimaux, UTF-8. Dans un tableur, importez les colonnes en texte.',
      'csv-fr':
        'Pour Excel en français : points-virgules, virgules, dates jour/mois/année. Des codes à zéro initial ? Préférez Excel.',
      xlsx: 'Un classeur : vraies dates et vrais nombres, SIRET et codes INSEE tels quels ; une feuille dit d’où.',
      geojson: 'Pour une carte : un objet par ligne, longitude d’abord.',
      json: 'Télécharger toute la réponse',
    },
    copyLink: 'Copier le lien de données',
    copyAs: (tool) => `Copier pour ${tool}`,
    requestCopied: 'Requête copiée : vos clés n’y sont pas.',
    copyLinkHint: 'Copier un lien vers ces lignes pour un tableur ou un carnet',
    linkCopied: 'Lien de données copié : vos clés n’y sont pas.',
    tooLong: (characters, most) =>
      `Pas de lien de données : il aurait ${countInFrench(characters, 'caractère')}, et la passerelle en accepte ${most.toLocaleString('fr')}. Raccourcissez la requête ou ses variables, masquez des colonnes, retirez des filtres ou enregistrez un fichier.`,
    refused: (why) => `Pas de lien de données : la passerelle le refuserait. ${why}`,
    requestsAll: 'Il demande toutes les pages.',
    onePage: (rows) =>
      `Il rend cette page de ${countInFrench(rows, 'ligne')} : lisez d’abord toutes les pages pour un lien vers toutes.`,
    mayBeOnePage:
      'Il ne rend peut-être qu’une page : ajoutez pageInfo à la requête pour le savoir, et lisez toutes les pages pour un lien vers toutes.',
  },
});
