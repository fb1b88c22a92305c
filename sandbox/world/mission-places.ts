import { drawPostalCode } from './addresses.js';
import { isInside } from './box-grid.js';
import type { Gazetteer } from './gazetteer.js';
import type { Place } from './geography.js';
import { type Mess, type MessyPlace, usableFormerNames } from './mess.js';
import { inCapitals } from './place-names.js';
import type { Random } from './random.js';
import { round } from './round.js';
import type { Site } from './sites.js';

/** The place as a mission's address states it. */
export interface WrittenPlace {
  readonly postalCode: string | null;
  readonly city: string | null;
  /** The name that `city` means, without CEDEX, arrondissement or spelling variants. */
  readonly meantCity: string | null;
  readonly point: readonly [lon: number, lat: number] | null;
}

/** Writes the place of a mission as people do, with the mess that was drawn for it. */
export function writePlace(site: Site, mess: MessyPlace['mess'], { gazetteer, random }: WritingContext): WrittenPlace {
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
export function isResolvable(written: WrittenPlace, place: Place, gazetteer: Gazetteer): boolean {
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
