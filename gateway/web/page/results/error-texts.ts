import type { ErrorCode } from '../../../../schema/errors.js';
import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';

/** What is said of one missing part. */
export interface MissingWords {
  readonly service: string | undefined;
  readonly code: string;
  readonly place: string;
  readonly rows: number;
  readonly seconds: number | undefined;
}

/** Texts of errors, and of what can be done about them. */
export const ERROR_TEXTS = defineTexts({
  en: {
    missing: ({ service, code, place, rows, seconds }: MissingWords) => {
      const inRows = `${rows} ${rows === 1 ? 'row lacks' : 'rows lack'} ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Missing: ${place}.`;
      const when = seconds === undefined ? '' : ` Try again in ${seconds} s.`;
      return `${service ?? 'The query'}: ${code}.${what}${when}`;
    },
    more: (count: number) => `${count.toLocaleString('en')} more`,
    connect: 'Connect',
    connectAgain: 'Connect again',
    addKey: 'Add key',
    onlyMissing: {
      now: 'Ask again for what is missing',
      after: (seconds: number) => `Wait ${seconds} s, then ask again for what is missing`,
      hint: 'Only the missing fields are requested, and put into the rows that are shown.',
    },
    whole: {
      now: 'Run the whole query again',
      after: (seconds: number) => `Wait ${seconds} s, then run the whole query again`,
      hint: 'What has arrived is cached for a while: the services are asked only for what is missing.',
    },
    asking: 'Asking again …',
    waiting: (service: string, seconds: number) => `waits for the quota of ${service}, about ${seconds} s`,
    cancel: 'Cancel',
    elapsed: (seconds: number) => countInEnglish(seconds, 's', 's'),
  },
  fr: {
    missing: ({ service, code, place, rows, seconds }) => {
      const inRows = `${countInFrench(rows, 'ligne')} sans ${place}.`;
      const what = place === '' ? '' : place.includes('[]') ? ` ${inRows}` : ` Il manque : ${place}.`;
      const when = seconds === undefined ? '' : ` Nouvel essai possible dans ${seconds} s.`;
      const meaning = code in MEANINGS ? ` ${MEANINGS[code as keyof typeof MEANINGS]}` : '';
      return `${service ?? 'La requête'} : ${code}.${meaning}${what}${when}`;
    },
    more: (count) => `${countInFrench(count, 'autre')}`,
    connect: 'Se connecter',
    connectAgain: 'Se reconnecter',
    addKey: 'Ajouter une clé',
    onlyMissing: {
      now: 'Redemander ce qui manque',
      after: (seconds) => `Attendre ${seconds} s, puis redemander ce qui manque`,
      hint: 'Seuls les champs manquants sont demandés, puis placés dans les lignes affichées.',
    },
    whole: {
      now: 'Relancer toute la requête',
      after: (seconds) => `Attendre ${seconds} s, puis relancer toute la requête`,
      hint: 'Ce qui est arrivé reste gardé un moment : seul ce qui manque est redemandé aux services.',
    },
    asking: 'Nouvelle demande …',
    waiting: (service, seconds) => `attend le quota de ${service}, environ ${seconds} s`,
    cancel: 'Annuler',
    elapsed: (seconds) => countInFrench(seconds, 's', 's'),
  },
});

/** What each code means, in French: the gateway's own message, which stands below, is in English. */
const MEANINGS: Readonly<Record<ErrorCode | GraphqlCode, string>> = {
  BAD_USER_INPUT: 'Une valeur de la requête est mal écrite ou hors limites.',
  CREDENTIALS_REQUIRED: 'Ce champ demande une clé ou une connexion à votre nom.',
  CREDENTIALS_REJECTED: 'Le service a refusé la clé ou le jeton envoyé.',
  PERMISSION_DENIED: 'Le service vous connaît, mais ce droit vous manque.',
  RECONNECT_REQUIRED: 'Trackdéchets n’accepte plus cette connexion.',
  RATE_LIMITED: 'Le quota d’appels de cette période est épuisé.',
  TOO_MANY_REQUESTS: 'Vous avez envoyé trop de requêtes en une minute.',
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
  INTERNAL: 'Une erreur interne de la passerelle.',
  GRAPHQL_PARSE_FAILED: 'La requête n’est pas du GraphQL.',
  GRAPHQL_VALIDATION_FAILED: 'La requête demande ce que le graphe n’a pas, ou sous une forme qu’il n’admet pas.',
};

/** Codes of queries that GraphQL itself refuses. */
type GraphqlCode = 'GRAPHQL_PARSE_FAILED' | 'GRAPHQL_VALIDATION_FAILED';
