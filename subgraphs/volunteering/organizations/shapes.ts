import { isRna, isSiren, isSiret } from '../../codes/registers.js';
import { boolean, code, id, list, moment, number, required, shape, text, type View } from '../../rest/shape.js';

/**
 * An organization of either era: older records have empty text where newer ones have null, and newer ones have the keys
 * `siren`, `sirets`, `isRUP` and `source` (volunteering 12.2.2, 4.4 and 9).
 */
export const organizationShape = shape('Organization', {
  id: required(id('_id')),
  esId: text(),
  rna: code(isRna),
  siret: code(isSiret),
  sirets: list(code(isSiret)),
  siren: code(isSiren),
  rupMi: text(),
  isRUP: boolean(),
  gestion: text(),
  status: text(),
  nature: text(),
  groupement: text(),
  source: text(),
  title: text(),
  names: list(text()),
  shortTitle: text(),
  titleSlug: text(),
  shortTitleSlug: text(),
  object: text(),
  socialObject1: text(),
  socialObject2: text(),
  createdAt: moment(),
  lastDeclaredAt: moment(),
  publishedAt: moment(),
  dissolvedAt: moment(),
  updatedAt: moment(),
  syncAt: moment(),
  addressComplement: text(),
  addressNumber: text(),
  addressRepetition: text(),
  addressType: text(),
  addressStreet: text(),
  addressDistribution: text(),
  addressInseeCode: text(),
  addressPostalCode: text(),
  addressDepartmentCode: text(),
  addressDepartmentName: text(),
  addressRegion: text(),
  addressCity: text(),
  managementDeclarant: text(),
  managementComplement: text(),
  managementStreet: text(),
  managementDistribution: text(),
  managementPostalCode: text(),
  managementCity: text(),
  managementCountry: text(),
  directorCivility: text(),
  website: text(),
  observation: text(),
  version: number('__v'),
});

/** An organization as sent, of either era; each field is checked when it is read. */
export type OrganizationView = View<typeof organizationShape>;
