/** Response keys that mean something to JavaScript, to a planner, or to a join. */
export const ODD_ALIASES = [
  ...['constructor', 'toString', 'then', 'length', 'representations', '_entities', 'data', 'errors'],
  ...['__typename', 'id', 'siret', 'rna', 'insee', 'code', 'city', 'postalCode', 'location', 'addresses', 'nom'],
] as const;

/** The same for variables. */
export const ODD_VARIABLES = ['__proto__', 'constructor', 'representations', 'toString', 'first', 'if', 'on'] as const;

/** Fields about the schema, which may stand beside data. */
export const INTROSPECTION = [
  '__schema { queryType { name } mutationType { name } subscriptionType { name } }',
  '__type(name: "Mission") { name kind fields { name type { kind name ofType { name } } } }',
  '__type(name: "MissionRemote") { enumValues(includeDeprecated: true) { name isDeprecated } }',
  '__type(name: "Nobody") { name }',
] as const;

/** Values that an argument of this name may have anywhere. Some are refused, all before any call. */
const VALUES: Readonly<Record<string, readonly unknown[]>> = {
  first: [0, 1, 2, 3],
  after: [null, 'forged'],
  radius: [5, 30, 15.5, -5],
  text: ['les', 'a', null],
  type: [['benevolat'], ['benevolat', 'volontariat_service_civique'], []],
  domain: [['environnement'], ['sport', 'environnement']],
  remote: [['NO'], ['NO', 'FULL'], null],
  openToMinors: [true, false, null],
  startAt: [{ after: '2020-01-01T00:00:00Z' }, { before: '2030-01-01T00:00:00Z', after: null }, {}],
  romes: [['M1602'], ['D1102', 'M1602'], ['wrong']],
  targetDiplomaLevel: ['LEVEL_3', 'LEVEL_6'],
  includeArchived: [true, false, null],
  opco: ['AFDAS'],
  includeDeprecated: [true, false],
};

/** Values for an argument; below the root, where lists multiply, `first` is always among those sent. */
export function valuesOf(name: string, isBelowRoot: boolean): readonly unknown[] {
  return (Object.hasOwn(VALUES, name) && (isBelowRoot || name !== 'radius') && VALUES[name]) || [];
}
