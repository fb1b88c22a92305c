import { findCommunes, knownCommune, rememberCommune } from './communes.js';
import { DOMAINS } from './domains.js';
import { listed, type OptionSources } from './named-codes.js';

/** What pickers offer, by the kind of variable. */
export const OPTION_SOURCES: OptionSources = {
  commune: {
    find: async (text, signal) =>
      (await findCommunes(text, signal)).map(({ insee, name, departement }) => ({
        code: insee,
        label: name,
        note: departement,
      })),
    nothing: 'noCommune',
    labelOf: knownCommune,
    picked: ({ code, label }) => rememberCommune(code, label),
  },
  departement: listed(async () => {
    const { default: departements } = await import('@etalab/decoupage-administratif/data/departements.json');
    return departements.map(({ code, nom }) => ({ code, fr: nom, en: nom }));
  }),
  domain: listed(async () => DOMAINS),
  rome: { ...listed(async () => (await import('./rome-codes.js')).ROME_CODES), nothing: 'noCommonCode' },
};
