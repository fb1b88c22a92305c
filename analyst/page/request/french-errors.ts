import type { ErrorCode } from '../../../kernel/errors.js';
import { language } from '../state/language.js';
import type { ResponseError } from '../state/query-result.js';

/** The messages of graphql-js 16 about invalid queries, then the gateway's about values, in French; names are quoted. */
const MESSAGES: readonly (readonly [english: RegExp, french: string])[] = [
  [/^Syntax Error: Expected (.+), found (.+)\.$/, 'Erreur de syntaxe : $1 attendu, $2 trouvé.'],
  [/^Syntax Error: Unexpected (.+)\.$/, 'Erreur de syntaxe : $1 inattendu.'],
  [/^Syntax Error: Unterminated string\.$/, 'Erreur de syntaxe : un texte n’est pas fermé.'],
  [/^Cannot query field "(.+)" on type "(.+)"\.$/, 'Le type « $2 » n’a pas de champ « $1 ».'],
  [/^Unknown argument "(.+)" on field "(.+)"\.$/, 'Le champ « $2 » n’a pas de paramètre « $1 ».'],
  [/^Unknown argument "(.+)" on directive "(.+)"\.$/, 'La directive « $2 » n’a pas de paramètre « $1 ».'],
  [/^Unknown type "(.+)"\.$/, 'Le type « $1 » n’existe pas.'],
  [/^Unknown directive "(.+)"\.$/, 'La directive « $1 » n’existe pas.'],
  [/^Unknown fragment "(.+)"\.$/, 'Le fragment « $1 » n’existe pas.'],
  [/^Unknown operation named "(.+)"\.$/, 'L’opération « $1 » n’existe pas.'],
  [/^Fragment "(.+)" is never used\.$/, 'Le fragment « $1 » ne sert pas.'],
  [
    /^Field "(.+)" argument "(.+)" of type "(.+)" is required, but it was not provided\.$/,
    'Le champ « $1 » demande le paramètre « $2 », de type « $3 ».',
  ],
  [/^Field "(.+)" of required type "(.+)" was not provided\.$/, 'Il manque le champ « $1 », de type « $2 ».'],
  [/^Field "(.+)" is not defined by type "(.+)"\.$/, 'Le type « $2 » n’a pas de champ « $1 ».'],
  [
    /^Field "(.+)" of type "(.+)" must have a selection of subfields\.$/,
    'Du champ « $1 », de type « $2 », il faut choisir des champs.',
  ],
  [
    /^Field "(.+)" must not have a selection since type "(.+)" has no subfields\.$/,
    'Le champ « $1 » est une valeur, de type « $2 » : il n’a pas de champs à choisir.',
  ],
  [/^Variable "(.+)" is not defined(?: by operation ".+")?\.$/, 'La variable « $1 » n’est pas déclarée.'],
  [/^Variable "(.+)" is never used(?: in operation ".+")?\.$/, 'La variable « $1 » ne sert pas.'],
  [/^Variable "(.+)" of required type "(.+)" was not provided\.$/, 'Il manque la variable « $1 », de type « $2 ».'],
  [
    /^Variable "(.+)" of type "(.+)" used in position expecting type "(.+)"\.$/,
    'La variable « $1 », de type « $2 », se trouve où le type « $3 » est attendu.',
  ],
  [/^Value "(.+)" does not exist in "(.+)" enum\.$/, 'La valeur « $1 » n’est pas une de « $2 ».'],
  [/^Int cannot represent non-integer value: (.+)$/, 'Un nombre entier est attendu, $1 trouvé.'],
  [/^Float cannot represent non numeric value: (.+)$/, 'Un nombre est attendu, $1 trouvé.'],
  [/^String cannot represent a non string value: (.+)$/, 'Un texte est attendu, $1 trouvé.'],
  [/^Boolean cannot represent a non boolean value: (.+)$/, '« true » ou « false » est attendu, $1 trouvé.'],
  [/^Expected value of type "(.+)", found (.+)\.$/, 'Une valeur de type « $1 » est attendue, $2 trouvé.'],
  [/^There can be only one .+ named "(.+)"\.$/, 'Le nom « $1 » ne peut servir qu’une fois.'],
  [
    /^Fields "(.+)" conflict because .+$/s,
    'Les champs « $1 » se contredisent : donnez-leur des alias différents pour lire les deux.',
  ],
  [
    /^This anonymous operation must be the only defined operation\.$/,
    'Une opération sans nom doit être la seule de la requête.',
  ],
  [
    /^Must provide operation name if query contains multiple operations\.$/,
    'La requête a plusieurs opérations : il faut nommer celle à lancer.',
  ],
  [/^(\S+) must be between (\S+) and (.+)\.$/, '« $1 » doit être entre $2 et $3.'],
  [/^(\S+) must not be negative\.$/, '« $1 » ne peut pas être négatif.'],
  [/^(\S+) must be at most (\S+) here\.$/, '« $1 » vaut ici $2 au plus.'],
  [/^(\S+) is needed beside (\S+)\.$/, 'Avec « $2 », il faut aussi « $1 ».'],
  [
    /^(\S+) is not (?:an? |the )?.*\b(RNCP|RNA|SIRET|SIREN|INSEE|ROME|NAF|CFD|UAI)\b.*$/s,
    '« $1 » n’est pas un code $2.',
  ],
  [/^(\S+) is not a date\b.*$/s, '« $1 » n’est pas une date comme 2026-01-31.'],
  [/^(\S+) is not .*d[ée]partement.*$/s, '« $1 » n’est pas le code d’un département : 76, 2A, 971.'],
];

const WRONG_VARIABLE = /^Variable "(.+?)" got invalid value (.+?); (.+)$/s;
/** The end is looked at first: a message may say “Did you mean” thousands of times. */
const SUGGESTION = /^(?=.*\?$)(.+?) Did you mean (.+)\?$/s;

/** A message in French; null for one that is not known, of which the code then says the meaning. */
export function toFrenchMessage(message: string): string | null {
  const french = translated(message);
  // Prevents line breaks before punctuation and inside quotes.
  return french === null ? null : french.replace(/(?<=«) | (?=[»:?])/g, '\u00a0');
}

function translated(message: string): string | null {
  const [, variable = '', value = '', why = ''] = WRONG_VARIABLE.exec(message) ?? [];
  if (variable !== '') {
    const reason = translated(why);
    return reason === null ? null : `La variable « ${variable} » ne peut pas valoir ${value}. ${reason}`;
  }
  const [, said = message, suggestion = ''] = SUGGESTION.exec(message) ?? [];
  const known = MESSAGES.find(([english]) => english.test(said));
  if (known === undefined) return null;
  const french = said.replace(...known).replaceAll('<EOF>', 'la fin du texte');
  return suggestion === '' ? french : `${french} Vouliez-vous ${names(suggestion)} ?`;
}

function names(english: string): string {
  return english
    .replace(/^to use an inline fragment on /, 'un fragment sur ')
    .replace(/^the enum value /, 'la valeur ')
    .replaceAll(/"([^"]+)"/g, '« $1 »')
    .replace(/,? or /, ' ou ');
}

/** An error in the page's language: the gateway's own message or, in French, the meaning of its code. */
export function describeError({ message, extensions }: ResponseError): string {
  if (language.get() === 'en') return message;
  return toFrenchMessage(message) ?? (frenchMeaning(extensions?.code ?? '') || message);
}

/** What a code means, in French; empty for an unknown one. */
export function frenchMeaning(code: string): string {
  return Object.hasOwn(MEANINGS, code) ? MEANINGS[code as keyof typeof MEANINGS] : '';
}

/** What each code means, in French: the gateway's own messages are in English. */
const MEANINGS: Readonly<Record<ErrorCode | GraphqlCode, string>> = {
  BAD_USER_INPUT: 'Une valeur de la requête est mal écrite ou hors limites.',
  CURSOR_EXPIRED: 'La liste a été remplacée par celle d’un export plus récent : recommencez au début.',
  CREDENTIALS_REQUIRED: 'Ce champ demande une clé ou une connexion à votre nom.',
  CREDENTIALS_REJECTED: 'Le service a refusé la clé ou le jeton envoyé.',
  PERMISSION_DENIED: 'Cela ne vous est pas permis, par le service ou par cette passerelle.',
  RECONNECT_REQUIRED: 'Trackdéchets n’accepte plus cette connexion.',
  RATE_LIMITED: 'Le quota d’appels de cette période est épuisé.',
  TOO_MANY_REQUESTS: 'Vous avez envoyé trop de requêtes en une minute, ou à la fois.',
  COST_EXCEEDED: 'La requête demanderait plus d’appels qu’il n’est permis.',
  NOT_CACHED: 'Aucune réponse gardée n’a cette valeur, et un essai à blanc n’appelle aucun service.',
  BUSINESS_QUOTA: 'La limite du service pour cette écriture est atteinte.',
  UPSTREAM_REFUSED_INPUT: 'Le service a jugé la demande invalide.',
  UPSTREAM_UNAVAILABLE: 'Le service est en panne ou répond par une erreur.',
  UPSTREAM_TIMEOUT: 'Le service a mis trop de temps.',
  UPSTREAM_INVALID_RESPONSE: 'La réponse du service ne peut pas être lue.',
  SOURCE_OFF: 'Le service n’est pas configuré ici, ou refuse la clé de l’exploitant.',
  ANSWER_TOO_LARGE: 'La réponse serait trop grande : choisissez moins de lignes ou de champs.',
  DEADLINE_EXCEEDED: 'Le délai de la requête est dépassé.',
  GATEWAY_UNAVAILABLE: 'La passerelle ne le peut pas pour le moment.',
  INTERNAL: 'Une erreur interne de la passerelle.',
  GRAPHQL_PARSE_FAILED: 'La requête n’est pas du GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'La requête demande ce que le graphe n’a pas, ou sous une forme qu’il n’admet pas.',
};

/** Codes of queries that GraphQL itself refuses. */
type GraphqlCode = 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';
