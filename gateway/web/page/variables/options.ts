import departements from '@etalab/decoupage-administratif/data/departements.json';
import { findCommunes, knownCommune, rememberCommune } from './communes.js';
import { DOMAINS } from './domains.js';
import { listed, type OptionSource } from './named-codes.js';
import { ROME_CODES } from './rome-codes.js';

/** What pickers offer, by the kind of variable. */
export const OPTION_SOURCES: Readonly<Record<'commune' | 'departement' | 'domain' | 'rome', OptionSource>> = {
  commune: {
    find: async (text, signal) =>
      (await findCommunes(text, signal)).map(({ insee, name, departement }) => ({
        code: insee,
        label: name,
        note: departement,
      })),
    labelOf: knownCommune,
    picked: ({ code, label }) => rememberCommune(code, label),
  },
  departement: listed(departements.map(({ code, nom }) => ({ code, fr: nom, en: nom }))),
  domain: listed(DOMAINS),
  rome: listed(ROME_CODES),
};
