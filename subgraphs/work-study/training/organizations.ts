import { wordsOfPlaceName } from '../../codes/places.js';
import { orNull } from '../../rest/shape.js';
import type { OrganismeView } from '../organismes/shapes.js';
import { readableItems, type SourcePage } from '../values/calls.js';
import { pairId } from '../values/words.js';
import type { FormationView } from './shapes.js';

/** A training centre and its courses among those that a search found. */
export interface TrainingOrganization {
  readonly name: string | null;
  readonly organisme: OrganismeView;
  readonly formations: FormationView[];
}

/**
 * The training centres that give the courses of a page, in the order of their first course, one course a step; `complete` if
 * they are those of all courses.
 */
export function* organizationsOf({ items, hasNext }: SourcePage<FormationView>) {
  const byId = new Map<string, TrainingOrganization>();
  const courses = readableItems(items);
  let complete = !hasNext && courses.length === items.length;
  for (const course of courses) {
    const organisme = orNull(() => course.formateur?.organisme ?? null);
    const id =
      organisme === null ? null : orNull(() => pairId(organisme.identifiant?.uai, organisme.identifiant?.siret));
    if (organisme === null || id === null) {
      complete = false;
      continue;
    }
    const known = byId.get(id);
    if (known !== undefined) known.formations.push(course);
    else byId.set(id, { name: namesOf(organisme)[0] ?? null, organisme, formations: [course] });
    yield;
  }
  return { organizations: [...byId.values()], complete };
}

/** Whether each word of a text, as `wordsOfPlaceName` makes it, begins a word of the names. */
export function isNamed({ organisme }: TrainingOrganization, words: string): boolean {
  if (words === '') return true;
  const names = ` ${wordsOfPlaceName(namesOf(organisme).join(' '))}`;
  return words.split(' ').every((word) => names.includes(` ${word}`));
}

/** Brand and legal name, as far as they are known. */
function namesOf(organisme: OrganismeView): string[] {
  const names = [
    orNull(() => organisme.etablissement?.enseigne ?? null),
    orNull(() => organisme.uniteLegale?.raisonSociale ?? null),
  ];
  return names.filter((name): name is string => name !== null && name !== '');
}
