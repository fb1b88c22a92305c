import { slugOf } from './place-names.js';
import type { Random } from './random.js';
import type { Publisher } from './types.js';

/** The partners that publish missions. */
export function createPublishers(random: Random): Publisher[] {
  return names.map((name) => {
    const site = `https://${slugOf(name)}.example.org`;
    return { id: random.hex(24), name, url: site, logo: `${site}/logo.png` };
  });
}

const names = [
  'Élan Bénévole',
  'Coup de main',
  'Réserve Citoyenne',
  'La Ruche des Associations',
  'Villes Solidaires',
  'Campus Engagé',
  'Nature & Cie',
  'Sport pour Tous',
  'Volontaires du Service Civique',
  'Sapeurs-pompiers volontaires',
];
