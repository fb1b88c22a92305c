import { HEADER_BYTES } from '../../../kernel/bounds.js';
import { CodedError } from '../../../kernel/errors.js';
import type { Extent } from '../../../rows/extent.js';
import { findLists, omittedLists, omittedNote } from '../../../rows/lists.js';
import { type ChosenColumn, readRowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { mayHavePages } from '../lists/extent.js';
import type { ShownRows } from '../lists/shown-rows.js';
import { countInEnglish, countInFrench, defineTexts, language, textsNow } from '../state/language.js';
import type { QueryResult } from '../state/query-result.js';

/** Bytes that a client may send besides the address: its own headers and a session's cookie. */
const OTHER_HEADERS = 1024;

/** Maximum length of a link's address, in characters, without the gateway's name. */
const MAX_ADDRESS = HEADER_BYTES - OTHER_HEADERS;

/**
 * The parameters of a link to the shown rows as CSV: columns, conditions and order, and all pages if they were followed.
 * It never contains the user's keys.
 */
export function dataLink(result: QueryResult, shown: ShownRows): URLSearchParams {
  const { list, columns, choice } = shown;
  if (choice.columns !== null && !areAll(choice.columns, list)) return linkTo(result, shown);
  const whole = linkTo(result, { list, choice: { ...choice, columns: null } });
  if (result.pages === undefined || columns.length === 0) return whole;
  // The gateway's file of all pages has a column for everything the query selects. The shown columns are therefore
  // named in the link, if that many names fit.
  const names = columns.map(({ name }) => ({ name, title: name }));
  const named = linkTo(result, { list, choice: { ...choice, columns: names } });
  return linkProblem(named) === null ? named : whole;
}

function areAll(chosen: readonly ChosenColumn[], { layout }: ShownRows['list']): boolean {
  const isSame = ({ name, title }: ChosenColumn, index: number): boolean =>
    name === layout.columns[index]?.name && title === name;
  return chosen.length === layout.columns.length && chosen.every(isSame);
}

function linkTo(
  { request: { query, variables, operationName }, pages }: QueryResult,
  { list, choice }: Pick<ShownRows, 'list' | 'choice'>,
): URLSearchParams {
  const search = new URLSearchParams({
    query,
    ...(variables && { variables: JSON.stringify(variables) }),
    ...(operationName && { operationName }),
    path: list.path,
    format: 'csv',
    ...(pages && { pages: 'all' }),
  });
  for (const [name, value] of writeRowChoice(choice)) search.append(name, value);
  return search;
}

/** Why the gateway would refuse a link; null if it would not. */
export function linkProblem(search: URLSearchParams): string | null {
  const texts = textsNow(LINK_TEXTS);
  const characters = `/graphql?${search}`.length;
  if (characters > MAX_ADDRESS) return texts.tooLong(characters, MAX_ADDRESS);
  try {
    readRowChoice(search);
    return null;
  } catch (error) {
    if (!(error instanceof CodedError)) throw error;
    return texts.refused(error.message);
  }
}

/** What the user should know about the link. */
export function describeLink({ pages }: QueryResult, { list }: ShownRows, extent: Extent): string {
  const texts = textsNow(LINK_TEXTS);
  if (pages !== undefined) return `${texts.linkCopied} ${texts.requestsAll}`;
  if (!mayHavePages(extent)) return texts.linkCopied;
  return `${texts.linkCopied} ${extent.kind === 'page' ? texts.onePage(list.rows.length) : texts.mayBeOnePage}`;
}

/** The lists that have no columns in the file; null if there are none. */
export function describeOmitted({ list: { data, path } }: Pick<ShownRows, 'list'>): string | null {
  return omittedNote(omittedLists(findLists(data), { path, isNamed: true }), language.get());
}

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
