import { promisify } from 'node:util';
import { deflateRaw, inflateRawSync } from 'node:zlib';
import { CACHES } from '../../../kernel/caches.js';
import { isRecord, parseShallowJson } from '../../../kernel/text.js';
import { type Origin, wrongType } from '../../rest/shape.js';
import type { Gathered } from '../../rest/upstream.js';
import { Certification, type CertificationView } from './shapes.js';

/**
 * The source's whole list of certifications, in memory. It has tens of thousands of rows of some 3 kB: as objects they
 * would take half a gigabyte, as text a seventh of it. So rows are kept as text, compressed in blocks, and beside them
 * what they are looked up by; a page decompresses the blocks that its rows are in.
 */
export class PackedCertifications {
  readonly #blocks: Block[] = [];
  /** What each row is looked up by, shared by rows that do not differ in it; null for a row that cannot be read. */
  readonly #traits: (Traits | null)[] = [];
  /** Whether there were more than it may keep. */
  isFull = false;
  #packedBytes = 0;
  #distinct = 0;

  /** The packed list of all rows, or of those for which there is room. */
  static async gather(rows: AsyncIterable<Buffer>): Promise<Gathered> {
    const list = new PackedCertifications();
    const known = new Map<string, Traits>();
    let block: Buffer[] = [];
    for await (const row of rows) {
      list.#traits.push(shared(traitsIn(row), known));
      block.push(row);
      if (block.length < BLOCK_ROWS) continue;
      await list.#add(block);
      block = [];
      list.#distinct = known.size;
      list.isFull = list.heapBytes > MAX_HEAP_BYTES;
      if (list.isFull) break;
    }
    if (block.length > 0) await list.#add(block);
    list.#distinct = known.size;
    return { json: list, heapBytes: list.heapBytes };
  }

  get size(): number {
    return this.#traits.length;
  }

  get heapBytes(): number {
    return (
      this.#packedBytes + this.#blocks.length * BLOCK_BYTES + this.size * ROW_BYTES + this.#distinct * TRAITS_BYTES
    );
  }

  /** Places of the rows that are wanted, in order; a row that cannot be read may be one. */
  placesOf(wanted: Wanted): number[] {
    const places: number[] = [];
    for (const [place, traits] of this.#traits.entries())
      if (traits === null || meets(traits, wanted)) places.push(place);
    return places;
  }

  /** The rows at ascending places, one a step; one that cannot be read is an error in its place. */
  *read(places: readonly number[], origin: Origin): Generator<void, (CertificationView | null)[]> {
    const rows: (CertificationView | null)[] = [];
    let [opened, text] = [-1, Buffer.alloc(0) as Buffer];
    for (const place of places) {
      const index = Math.floor(place / BLOCK_ROWS);
      const block = this.#blocks[index];
      if (block === undefined) break;
      if (index !== opened) [opened, text] = [index, inflateRawSync(block.packed)];
      const row = place % BLOCK_ROWS;
      rows.push(viewOf(text.subarray(block.ends[row - 1] ?? 0, block.ends[row]), origin));
      yield;
    }
    return rows;
  }

  async #add(rows: readonly Buffer[]): Promise<void> {
    const packed = await compress(Buffer.concat(rows), { level: 1 });
    let end = 0;
    this.#blocks.push({ packed, ends: Uint32Array.from(rows, ({ length }) => (end += length)) });
    this.#packedBytes += packed.length;
  }
}

const compress = promisify<Buffer, object, Buffer>(deflateRaw);

/** Rows compressed together: enough that they share their words, and few for who needs one of them. */
const BLOCK_ROWS = 32;
/** A part of the memory that responses may take, so that others keep theirs. */
const MAX_HEAP_BYTES = CACHES.entries.boundBytes / 3;
/** Bytes of heap of a block, a row and a distinct combination of traits, besides what is compressed. */
const [BLOCK_BYTES, ROW_BYTES, TRAITS_BYTES] = [400, 12, 300];

interface Block {
  readonly packed: Buffer;
  /** Where each row ends, in bytes of the decompressed block. */
  readonly ends: Uint32Array;
}

/** What certifications are looked up by. */
interface Traits {
  /** European levels of the register and of the diploma, in the source's words. */
  readonly levels: readonly unknown[];
  /** Whether enrolments at the record of the register are open; null without a record. */
  readonly isActive: unknown;
  readonly romes: readonly unknown[];
}

/** Which certifications are wanted: null and an empty list mean any. */
export interface Wanted {
  /** A European level, in the source's word. */
  readonly level: string | null;
  /** Occupations, one of which the certification leads to. */
  readonly romes: readonly string[];
  readonly rncpActive: boolean | null;
}

/** Whether a certification as sent is wanted; also if it is none, because it may be one that cannot be read. */
export function isWanted(json: unknown, wanted: Wanted): boolean {
  const traits = traitsOf(json);
  return traits === null || meets(traits, wanted);
}

function meets({ levels, isActive, romes }: Traits, wanted: Wanted): boolean {
  if (wanted.level !== null && !levels.includes(wanted.level)) return false;
  if (wanted.rncpActive !== null && isActive !== wanted.rncpActive) return false;
  return wanted.romes.length === 0 || wanted.romes.some((code) => romes.includes(code));
}

function traitsOf(json: unknown): Traits | null {
  if (!isRecord(json)) return null;
  const romes = at(json, 'domaines', 'rome', 'rncp');
  return {
    levels: [at(json, 'intitule', 'niveau', 'rncp', 'europeen'), at(json, 'intitule', 'niveau', 'cfd', 'europeen')],
    isActive: at(json, 'periode_validite', 'rncp', 'actif'),
    romes: Array.isArray(romes) ? romes.map((rome: unknown) => at(rome, 'code')) : [],
  };
}

function traitsIn(row: Buffer): Traits | null {
  return traitsOf(parseShallowJson(row.toString()));
}

function shared(traits: Traits | null, known: Map<string, Traits>): Traits | null {
  if (traits === null) return null;
  const key = JSON.stringify(traits);
  const same = known.get(key);
  if (same === undefined) known.set(key, traits);
  return same ?? traits;
}

function at(json: unknown, ...names: readonly string[]): unknown {
  return names.reduce((value, name) => (isRecord(value) ? value[name] : undefined), json) ?? null;
}

/** GraphQL takes an error in a list for that of its item. */
function viewOf(row: Buffer, origin: Origin): CertificationView | null {
  try {
    const json = parseShallowJson(row.toString());
    if (!isRecord(json)) throw wrongType('an object', 'Certification[]', origin);
    return Certification.view(json, origin);
  } catch (error) {
    // An Error in a list is the error of its item to graphql-js, which no type says.
    return error as unknown as null;
  }
}
