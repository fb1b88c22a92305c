import type { Organization } from './organizations.js';
import { inCapitals } from './place-names.js';
import type { Random } from './random.js';
import type { Json } from './types.js';

/**
 * A mission's organization as the partner declares it: fields may be missing, malformed or swapped (volunteering 9).
 */
export function declareOrganization(organization: Organization, random: Random): Json {
  const { id, title, slug, place, postalCode, rna, siret } = organization;
  const declaredRna = declare(random.weighted(rnaForms), rna, random);
  return {
    organizationId: declaredRna !== null && declaredRna === rna ? id : null,
    organizationName: random.chance(0.15) ? inCapitals(title) : title,
    organizationClientId: random.digits(6),
    organizationDescription: random.chance(0.5) ? '' : `${title} agit près de chez vous.`,
    organizationUrl: random.chance(0.4) ? null : `https://${slug.slice(0, 30)}.example.org`,
    organizationType: random.pick(['1901', '', null]),
    organizationLogo: null,
    organizationFullAddress: random.chance(0.3) ? null : `${postalCode ?? ''} ${place.nom}`.trim(),
    organizationRNA: declaredRna,
    organizationSiren: declare(random.weighted(sirenForms), siret, random),
    organizationPostCode: random.chance(0.2) ? null : postalCode,
    organizationCity: random.chance(0.2) ? null : place.nom,
    organizationStatusJuridique: random.chance(0.3) ? null : random.pick(['Association', 'Association', 'Fondation']),
    organizationBeneficiaries: random.chance(0.3) ? ['Tous'] : [],
    organizationActions: [],
    organizationReseaux: random.chance(0.1) ? ['Réseau des solidarités'] : [],
  };
}

/** How a partner may fill in a number. */
type Form = 'right' | 'missing' | 'empty' | 'siren' | 'cut' | 'lower-case';

const rnaForms: readonly (readonly [number, Form])[] = [
  [66, 'right'],
  [28, 'missing'],
  [3, 'empty'],
  [1.5, 'cut'],
  [1.5, 'lower-case'],
];

/** `right` is a SIRET here, in the field of the SIREN. */
const sirenForms: readonly (readonly [number, Form])[] = [
  [40, 'missing'],
  [25, 'siren'],
  [27, 'right'],
  [4, 'empty'],
  [4, 'cut'],
];

function declare(form: Form, number: string | null, random: Random): string | null {
  if (form === 'empty') return '';
  if (form === 'cut') return number?.slice(0, -3) ?? random.digits(6);
  if (form === 'missing' || number === null) return null;
  if (form === 'lower-case') return number.toLowerCase();
  return form === 'siren' ? number.slice(0, 9) : number;
}
