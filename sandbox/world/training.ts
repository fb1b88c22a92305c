import type { Area } from './areas.js';
import { createCertifications } from './certifications.js';
import { createCertifiers } from './certifiers.js';
import { createFormations } from './formations.js';
import type { Gazetteer } from './gazetteer.js';
import { associationsAmong, createOrganismes } from './organismes.js';
import type { KnownOrganization } from './organizations.js';
import { createRandom } from './random.js';
import type { SiretMaker } from './siret.js';
import type { Json } from './types.js';
import type { TrainingCentre } from './workplaces.js';

/** The inputs of training data. */
export interface TrainingOptions {
  /** Numbers of records. */
  readonly organismes: number;
  readonly formations: number;
  readonly gazetteer: Gazetteer;
  readonly areas: ReadonlyMap<string, Area>;
  readonly sirets: SiretMaker;
}

/** The training data of a world. */
export interface Training {
  readonly certifications: readonly Json[];
  readonly formations: readonly Json[];
  readonly organismes: readonly Json[];
  /** Open training centres, to which companies may delegate their offers. */
  readonly centres: readonly TrainingCentre[];
  /** Certifiers and organismes that are associations. */
  readonly associations: readonly KnownOrganization[];
}

/** Creates the training data: certifications, the organismes that teach for them, and their formations. */
export function createTraining({ organismes, formations, gazetteer, areas, sirets }: TrainingOptions): Training {
  const certifiers = createCertifiers(gazetteer, sirets, createRandom('certifiers'));
  const certifications = createCertifications(certifiers.all, createRandom('certifications'));
  const schools = createOrganismes({
    count: organismes,
    gazetteer,
    areas,
    sirets,
    random: createRandom('organismes'),
  });
  return {
    certifications: certifications.map(({ record }) => record),
    formations: createFormations({
      count: formations,
      certifications,
      organismes: schools,
      areas,
      random: createRandom('formations'),
    }),
    organismes: schools.map(({ record }) => record),
    centres: schools.filter(({ isOpen }) => isOpen),
    associations: [...certifiers.associations, ...associationsAmong(schools, createRandom('schools'))],
  };
}
