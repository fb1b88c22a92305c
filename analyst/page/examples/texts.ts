import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the panel of examples. */
export const EXAMPLE_TEXTS = defineTexts({
  en: {
    examples: 'Examples',
    title: 'What do you want to know?',
    search: 'Search',
    hint: 'volunteering in Grenoble, alternance, M1805, 93 …',
    close: 'Close',
    nothing: 'No example matches. Try a subject, or the name of a commune.',
    found: (count: number) => countInEnglish(count, 'example'),
    calls: (count: number) => (count === 1 ? '1 call' : `about ${countInEnglish(count, 'call')}`),
    filled: (names: string) => `with ${names}`,
    group: {
      missions: 'Volunteering missions',
      offers: 'Work-study offers',
      training: 'Courses',
      organizations: 'Associations and companies',
      places: 'Places',
    },
  },
  fr: {
    examples: 'Exemples',
    title: 'Que voulez-vous savoir ?',
    search: 'Rechercher',
    hint: 'bénévolat à Grenoble, alternance, M1805, 93 …',
    close: 'Fermer',
    nothing: 'Aucun exemple ne convient. Essayez un sujet, ou le nom d’une commune.',
    found: (count) => countInFrench(count, 'exemple'),
    calls: (count) => (count === 1 ? '1 appel' : `environ ${countInFrench(count, 'appel')}`),
    filled: (names) => `avec ${names}`,
    group: {
      missions: 'Missions de bénévolat',
      offers: 'Offres en alternance',
      training: 'Formations',
      organizations: 'Associations et entreprises',
      places: 'Territoires',
    },
  },
});
