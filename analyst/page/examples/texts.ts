import { countInEnglish, countInFrench, defineTexts } from '../state/language.js';

/** Texts of the panel of examples. */
export const EXAMPLE_TEXTS = defineTexts({
  en: {
    examples: 'Examples',
    title: 'What do you want to know?',
    search: 'Search',
    hint: 'volunteering in Grenoble, alternance, M1805, 93 …',
    close: 'Close',
    questions: 'Questions',
    nearest: (unknown: string) =>
      unknown === '' ? 'The nearest questions first.' : `Not understood: ${unknown}. The nearest questions:`,
    found: (count: number) => countInEnglish(count, 'example'),
    calls: (count: number) => (count < 2 ? countInEnglish(count, 'call') : `about ${countInEnglish(count, 'call')}`),
    filled: (names: string) => `with ${names}`,
    leftOut: (names: string) => `left out: ${names}`,
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
    questions: 'Questions',
    nearest: (unknown) =>
      unknown === '' ? 'Les plus proches d’abord.' : `Pas compris : ${unknown}. Les questions les plus proches :`,
    found: (count) => countInFrench(count, 'exemple'),
    calls: (count) =>
      count === 0 ? 'sans appel' : count === 1 ? '1 appel' : `environ ${countInFrench(count, 'appel')}`,
    filled: (names) => `avec ${names}`,
    leftOut: (names) => `laissé de côté : ${names}`,
    group: {
      missions: 'Missions de bénévolat',
      offers: 'Offres en alternance',
      training: 'Formations',
      organizations: 'Associations et entreprises',
      places: 'Territoires',
    },
  },
});
