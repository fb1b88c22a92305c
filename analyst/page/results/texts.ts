import { labelOfService } from '../elements/format.js';
import { frenchMeaning } from '../request/error-codes.js';
import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';
import type { Location } from '../state/query-result.js';

/** Texts of the response pane. */
export const RESULT_TEXTS = defineTexts({
  en: {
    response: 'Response',
    views: 'View of the response',
    view: { JSON: 'JSON', Table: 'Table', Counts: 'Counts', Map: 'Map', Trace: 'Trace' },
    withExtensions: 'with extensions',
    running: 'Running …',
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

/** The errors with one path pattern and one cause. */
export interface Missing {
  /** The service that failed; undefined for an error of the query or the gateway. */
  readonly service: string | undefined;
  readonly code: string;
  /** A pattern such as `missions.nodes[].commune`; empty for the whole response. */
  readonly place: string;
  /** Number of rows of the innermost list that lack it. */
  readonly rows: number;
  /** The gateway's own message, in English. */
  readonly message: string;
  readonly retryAfterSeconds: number | undefined;
  /** Where in the query, of an error of the query itself. */
  readonly at?: Location | undefined;
}

/** Texts of errors, and of what can be done about them. */
export const ERROR_TEXTS = defineTexts({
  en: {
    missing: ({ service, code, place, rows, retryAfterSeconds: seconds }: Missing) => {
      const inRows = `${rows} ${rows === 1 ? 'row lacks' : 'rows lack'} ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Missing: ${place}.`;
      const when = seconds === undefined ? '' : ` Try again in ${seconds} s.`;
      return `${service ?? 'The query'}: ${code}.${what}${when}`;
    },
    more: (count: number) => `${count.toLocaleString('en')} more`,
    addKey: 'Add key',
    at: (line: number, column: number) => `line ${line}, column ${column}`,
    again: 'Run the whole query again',
    againHint: 'What has arrived is cached for a while: the services are asked only for what is missing.',
    asking: 'Asking again …',
    elapsed: (seconds: number) => countInEnglish(seconds, 's', 's'),
  },
  fr: {
    missing: ({ service, code, place, rows, retryAfterSeconds: seconds }) => {
      const inRows = `${countInFrench(rows, 'ligne')} sans ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Il manque : ${place}.`;
      const when = seconds === undefined ? '' : ` Nouvel essai possible dans ${seconds} s.`;
      return (
        [`${service === undefined ? 'La requête' : labelOfService(service)} : ${code}.`, frenchMeaning(code)]
          .join(' ')
          .trimEnd() +
        what +
        when
      );
    },
    more: (count) => `${countInFrench(count, 'autre')}`,
    addKey: 'Ajouter une clé',
    at: (line, column) => `ligne ${line}, colonne ${column}`,
    again: 'Relancer toute la requête',
    againHint: 'Ce qui est arrivé reste gardé un moment : seul ce qui manque est redemandé aux services.',
    asking: 'Nouvelle demande …',
    elapsed: (seconds) => countInFrench(seconds, 's', 's'),
  },
});

/** Texts of what a query would cost. */
export const PRICE_TEXTS = defineTexts({
  en: {
    explained: 'Upstream calls that this query would make now, at most. Estimating them makes none.',
    none: 'No calls, everything is cached',
    noCalls: 'No calls',
    dataOf: (date: string) => `data of ${date}`,
    whenConnected: 'Price known once you are connected',
    chip: (most: number) => `≤ ${countInEnglish(most, 'call')}`,
    left: (left: number, isShort: boolean) => `${isShort ? 'only ' : ''}${left.toLocaleString('en')} left`,
    calls: (most: number) => countInEnglish(most, 'call'),
    and: '; ',
    leftFor: (left: number, isShort: boolean, service: string) =>
      `${isShort ? 'only ' : ''}${left.toLocaleString('en')} left for ${service}`,
  },
  fr: {
    explained: 'Appels aux services que cette requête ferait maintenant, au plus. Le demander n’en fait aucun.',
    none: 'Aucun appel, tout est en cache',
    noCalls: 'Aucun appel',
    dataOf: (date) => `données du ${date}`,
    whenConnected: 'Coût connu une fois connecté',
    chip: (most) => `≤ ${countInFrench(most, 'appel')}`,
    left: (left, isShort) => `il ${isShort ? 'n’en reste que' : 'en reste'} ${left.toLocaleString('fr')}`,
    calls: (most) => countInFrench(most, 'appel'),
    and: ' ; ',
    leftFor: (left, isShort, service) =>
      `il ${isShort ? 'n’en reste que' : 'en reste'} ${left.toLocaleString('fr')} pour ${service}`,
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
