import { countInEnglish, countInFrench } from '../language/count.js';
import { defineTexts } from '../language/texts.js';
import { frenchMeaning } from '../responses/error-meanings.js';

/** The details of one missing part. */
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
      hint: 'Only the missing fields are requested and added to the rows that are shown.',
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
      return [`${service ?? 'La requête'} : ${code}.`, frenchMeaning(code)].join(' ').trimEnd() + what + when;
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
