import type { Json } from '../../../sandbox/world/types.js';
import { certification } from '../../work-study/support/records.js';
import { setAt } from './documented.js';

/** Certifications of which the generated world has no example, each for one rule of work-study 12.2.1. */
export const certificationsOfRules = {
  old: having(certification('50033302', 'RNCP33999'), { 'identifiant.rncp_anterieur_2019': true }),
  reformed: certification('50033303', 'RNCP34000'),
  unfilled: having(certification('50033304', 'RNCP501'), {
    'identifiant.rncp_anterieur_2019': true,
    'blocs_competences.rncp': [{ code: '1', intitule: null }],
    'convention_collectives.rncp': [],
    'domaines.formacodes.rncp': [],
    'domaines.nsf.rncp': [{ code: '31', intitule: null }],
    'domaines.rome.rncp': [{ code: 'A', intitule: 'Agriculture' }],
    'intitule.niveau.rncp.europeen': null,
    'periode_validite.rncp.activation': null,
  }),
  // The diploma's own code says 4 and the register 5: the source prefers the register.
  twoLevels: having(certification('40033305', 'RNCP36001'), {
    'intitule.niveau.cfd.europeen': '5',
    'intitule.niveau.rncp.europeen': '5',
  }),
  later: having(certification('50033306', 'RNCP36002'), {
    'intitule.niveau.rncp.europeen': '9',
    'type.enregistrement_rncp': 'Enregistrement provisoire',
  }),
  onDemand: having(certification('50033307', 'RNCP36003'), {
    'type.enregistrement_rncp': 'Enregistrement sur demande',
  }),
  period: having(certification('50033308', 'RNCP36004'), {
    'periode_validite.debut': '2022-11-16T00:00:00.000+01:00',
    'periode_validite.fin': '2028-01-25T23:59:59.000+01:00',
    'periode_validite.cfd.fermeture': '2029-08-31T23:59:59.000+02:00',
  }),
  lineage: having(certification('50033310', 'RNCP36006'), {
    'continuite.cfd': [
      {
        ouverture: '2001-09-01T00:00:00.000+02:00',
        fermeture: '2010-08-31T23:59:59.000+02:00',
        code: '50033301',
        courant: false,
      },
      {
        ouverture: '2010-09-01T00:00:00.000+02:00',
        fermeture: '2027-08-31T23:59:59.000+02:00',
        code: '50033310',
        courant: true,
      },
      { ouverture: '2027-09-01T00:00:00.000+02:00', fermeture: null, code: '50033311', courant: false },
    ],
    'continuite.rncp': [
      {
        activation: '2019-01-01T00:00:00.000+01:00',
        fin_enregistrement: null,
        code: 'RNCP35000',
        courant: false,
        actif: false,
      },
      {
        activation: '2023-01-01T00:00:00.000+01:00',
        fin_enregistrement: null,
        code: 'RNCP36006',
        courant: true,
        actif: true,
      },
      { activation: null, fin_enregistrement: null, code: 'RNCP39999', courant: false, actif: false },
    ],
  }),
};

/** The record itself, changed to have these values at these paths. */
function having(record: Json, values: Readonly<Record<string, unknown>>): Json {
  for (const [path, value] of Object.entries(values)) setAt(record, path, value);
  return record;
}
