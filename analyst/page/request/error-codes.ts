import type { ErrorCode } from '../../../kernel/errors.js';
import { language } from '../state/language.js';
import type { ResponseError } from '../state/query-result.js';

/** An error in the page's language: the gateway's own message or, in French, the meaning of its code. */
export function describeError({ message, extensions }: ResponseError): string {
  return language.get() === 'en' ? message : frenchMeaning(extensions?.code ?? '') || message;
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
