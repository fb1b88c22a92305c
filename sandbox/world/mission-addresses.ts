import { drawPostalCode, drawStreet, streetLine } from './addresses.js';
import type { Gazetteer } from './gazetteer.js';
import { isInside, type Place, round } from './geography.js';
import { uuid } from './identifiers.js';
import { type Mess, type MessyPlace, usableFormerNames } from './mess.js';
import { inCapitals } from './place-names.js';
import type { Random } from './random.js';
import { type Site, siteAround, siteInBox } from './sites.js';
import type { Json, MissionTruth } from './types.js';

/** The addresses of a mission, the first with the mess drawn for it, and the truth about that one. */
export interface MissionAddresses {
  readonly addresses: readonly Json[];
  readonly truth: MissionTruth;
}

/** How many addresses to write, and with which gazetteer. */
export interface AddressOptions extends WritingContext {
  /** Number of addresses after the first. */
  readonly further: number;
}

/** Creates addresses in the form of volunteering 4.2. */
export function createMissionAddresses(
  { site, mess }: MessyPlace,
  { further, ...context }: AddressOptions,
): MissionAddresses {
  const { gazetteer, random } = context;
  if (site === null) {
    const addresses = mess.has('foreign') ? [foreignAddress(random)] : random.chance(0.6) ? [] : [onlyCountry(random)];
    return { addresses, truth: { insee: null, mess: [...mess], resolvable: false, source: null } };
  }
  const written = writePlace(site, mess, context);
  const addresses = [createAddress(site, written, context)];
  for (let i = 0; i < further; i++) {
    const next = furtherSite(site, gazetteer, random);
    addresses.push(createAddress(next, writePlace(next, new Set(), context), context));
  }
  const resolvable = isResolvable(written, site.place, gazetteer);
  return { addresses, truth: { insee: site.place.insee, mess: [...mess], resolvable, source: site.source } };
}

/** The flat copy of the first address; empty without one (volunteering 4.1). */
export function flatAddress(first: Json | undefined): Json {
  if (first === undefined) return {};
  const { street, city, postalCode, departmentCode, departmentName, country, location } = first;
  return { address: street, city, postalCode, departmentCode, departmentName, country, location };
}

function furtherSite(site: Site, gazetteer: Gazetteer, random: Random): Site {
  const towns = gazetteer.townsOf(site.place.departement);
  return towns.length > 0 ? siteAround(random.pick(towns), random) : siteInBox(site.place, random);
}

function createAddress(
  { place }: Site,
  { postalCode, city, point }: WrittenPlace,
  { gazetteer, random }: WritingContext,
): Json {
  const code = departmentCode(place.departement, random);
  return {
    id: uuid(random),
    street: random.chance(0.85) ? streetLine(drawStreet(random)) : null,
    postalCode,
    departmentName: code === null ? null : gazetteer.labels.departement(code),
    departmentCode: code,
    city,
    region: gazetteer.labels.regionOf(place.departement),
    country: country(place.departement, random),
    ...positions(point),
    geolocStatus: point === null ? 'NOT_FOUND' : random.pick(['ENRICHED_BY_PUBLISHER', 'ENRICHED_BY_API']),
  };
}

function positions(point: readonly [lon: number, lat: number] | null): Json {
  if (point === null) return { location: null, geoPoint: null };
  return { location: { lat: point[1], lon: point[0] }, geoPoint: { type: 'Point', coordinates: point } };
}

/** Null for most of Corsica; two islands count as Guadeloupe (volunteering 8, row Department from postal code). */
function departmentCode(departement: string, random: Random): string | null {
  if (/^2[AB]$/.test(departement)) return random.chance(0.4) ? departement : null;
  return departement === '977' || departement === '978' ? '971' : departement;
}

/** `FR`, `France`, null, and the codes of the territories (volunteering 7.6, row country). */
function country(departement: string, random: Random): string | null {
  const code = territoryCodes[departement];
  return random.weighted<string | null>([
    [78, 'FR'],
    [14, 'France'],
    [8, null],
    [code === undefined ? 0 : 60, code ?? null],
  ]);
}

const territoryCodes: Readonly<Record<string, string>> = {
  '971': 'GP',
  '972': 'MQ',
  '973': 'GF',
  '974': 'RE',
  '975': 'PM',
  '976': 'YT',
  '977': 'BL',
  '978': 'MF',
  '984': 'TF',
  '986': 'WF',
  '987': 'PF',
  '988': 'NC',
};

/** What remains of an address that the geocoder did not find (volunteering 10.6). */
function onlyCountry(random: Random): Json {
  return { ...emptyAddress, id: uuid(random), country: random.pick(['FR', 'FR', 'France']) };
}

const emptyAddress = {
  id: '',
  street: null,
  postalCode: null,
  departmentName: null,
  departmentCode: null,
  city: null,
  region: null,
  country: null,
  location: null,
  geoPoint: null,
  geolocStatus: 'NOT_FOUND',
};

function foreignAddress(random: Random): Json {
  const [city, postalCode, countryText, lon, lat] = random.pick(foreignCities);
  return {
    ...emptyAddress,
    id: uuid(random),
    postalCode,
    city,
    country: countryText,
    ...positions([lon, lat]),
    geolocStatus: 'ENRICHED_BY_PUBLISHER',
  };
}

/** Some of their postal codes look French. */
const foreignCities: readonly (readonly [string, string, string, number, number])[] = [
  ['Namur', '5000', 'BE', 4.8675, 50.4674],
  ['Bruxelles', '1000', 'Belgique', 4.3517, 50.8503],
  ['Lausanne', '1003', 'CH', 6.6323, 46.5197],
  ['Saarbrücken', '66111', 'DE', 6.9969, 49.2402],
  ['Barcelona', '08001', 'ES', 2.1686, 41.3874],
  ['Luxembourg', '1111', 'LU', 6.1319, 49.6116],
];

/** The place as a mission's address states it. */
export interface WrittenPlace {
  readonly postalCode: string | null;
  readonly city: string | null;
  /** The name that `city` means, without CEDEX, arrondissement or spelling variants. */
  readonly meantCity: string | null;
  readonly point: readonly [lon: number, lat: number] | null;
}

/** Writes the place of a mission as people do, with the mess that was drawn for it. */
function writePlace(site: Site, mess: MessyPlace['mess'], { gazetteer, random }: WritingContext): WrittenPlace {
  const { place } = site;
  const meant = mess.has('former-name') ? formerName(site, { gazetteer, random }) : place.nom;
  const decorated = decorate({ name: meant, postalCode: drawPostalCode(place, random) }, mess, { gazetteer, random });
  const city = mess.has('upper-case') ? inCapitals(decorated.name) : decorated.name;
  return {
    postalCode: mess.has('no-postal-code') ? null : decorated.postalCode,
    city: mess.has('no-city') ? null : city,
    meantCity: mess.has('no-city') ? null : meant,
    point: writtenPoint(site, mess, gazetteer),
  };
}

/** Sources for writing a place. */
export interface WritingContext {
  readonly gazetteer: Gazetteer;
  readonly random: Random;
}

/**
 * Whether the written place identifies the commune: by its point, by its postal code with its name, or by a name that
 * no other commune has or had, provided that no point contradicts it.
 */
function isResolvable(written: WrittenPlace, place: Place, gazetteer: Gazetteer): boolean {
  const { postalCode, meantCity, point } = written;
  const isRightPoint = point !== null && !place.boxIsInvented && isInside(place.box, point);
  if (point !== null && !isRightPoint && gazetteer.isInKnownBox(point)) return false;
  const named = meantCity === null ? [] : gazetteer.named(meantCity);
  const isOnly = (places: readonly Place[]) => places.length === 1 && places[0] === place;
  const isRightPair = postalCode !== null && isOnly(named.filter((other) => other.postaux.includes(postalCode)));
  return isRightPoint || isRightPair || isOnly(named);
}

function formerName({ place, formerName: known }: Site, { gazetteer, random }: WritingContext): string {
  const usable = usableFormerNames(place, gazetteer);
  return known !== null && usable.includes(known) ? known : random.pick(usable);
}

interface NameAndCode {
  readonly name: string;
  readonly postalCode: string | null;
}

function decorate(plain: NameAndCode, mess: ReadonlySet<Mess>, { gazetteer, random }: WritingContext): NameAndCode {
  if (mess.has('cedex')) return cedex(plain, mess, { gazetteer, random });
  if (mess.has('arrondissement')) return arrondissement(plain, random);
  return { ...plain, name: asPeopleWrite(plain.name, random) };
}

/**
 * `RENNES CEDEX 7`, half of the time with a postal code of its own that belongs to no commune. A neighbour's point
 * comes with the ordinary code (see `createMessDrawer`).
 */
function cedex({ name, postalCode }: NameAndCode, mess: ReadonlySet<Mess>, { gazetteer, random }: WritingContext) {
  const number = random.chance(0.4) ? ` ${1 + random.int(20)}` : '';
  const isOrdinary = postalCode === null || mess.has('neighbour-point') || mess.has('stray-town') || random.chance(0.5);
  let code = postalCode;
  while (!isOrdinary && gazetteer.isPostalCode(code ?? '')) code = postalCode.slice(0, 2) + random.digits(3);
  return { name: `${name} ${random.pick(['CEDEX', 'Cedex'])}${number}`, postalCode: code };
}

/** `Lyon 3e Arrondissement`, `LYON 03`, `Lyon 3e`: the arrondissement is in the last two digits of the postal code. */
function arrondissement({ name, postalCode }: NameAndCode, random: Random): NameAndCode {
  const number = Number(postalCode?.slice(-2));
  const ordinal = number === 1 ? '1er' : `${number}e`;
  const form = random.pick([`${ordinal} Arrondissement`, String(number).padStart(2, '0'), ordinal]);
  return { name: `${name} ${form}`, postalCode };
}

/** Saint abbreviated, hyphens or capitals omitted: variants that do not count as mess. */
function asPeopleWrite(name: string, random: Random): string {
  let written = name;
  if (random.chance(0.25)) written = written.replace(/\bSaint(e?)-/g, 'St$1-');
  if (random.chance(0.08)) written = written.replaceAll('-', ' ');
  return random.chance(0.03) ? written.toLowerCase() : written;
}

function writtenPoint({ place, point }: Site, mess: ReadonlySet<Mess>, gazetteer: Gazetteer) {
  if (mess.has('no-point')) return null;
  if (mess.has('swapped-axes')) return [round(point[1]), round(point[0])] as const;
  return mess.has('neighbour-point') ? gazetteer.neighbourOf(place).centre : point;
}
