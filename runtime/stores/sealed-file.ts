/**
 * Large files that are believed only as somebody with a key wrote them, and that can be read in parts.
 *
 * A sealed file is its content, a digest of each piece of 8 kB, and a mark: an HMAC over the digests, the size of the
 * content, and the folder and name of the file, so that it is worth nothing in the place of another. Opening it checks
 * the mark, and each read the pieces that it touches. So a gigabyte need not be read at a start, and what is changed
 * under a running process is noticed too. An older file can be put back in its own place, with its own mark.
 */
import { createHash, createHmac, hash, timingSafeEqual } from 'node:crypto';
import { type FileHandle, rm } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Log } from '../../kernel/log.js';
import { openPlainFile } from './plain-file.js';
import type { MarkKeys } from './text-store.js';

/** Bytes of content with a digest of their own: a dozen microseconds of work. */
const PIECE_BYTES = 8 * 1024;
/** Of SHA-256; 128 bits are enough to tell that content was replaced. */
const DIGEST_BYTES = 16;
const MARK_BYTES = 32;

/** Most bytes in one read, a multiple of a piece: their digests take two milliseconds. */
const READ_BYTES = 1024 * 1024;

/** Digests of 8 GB: more is not read from a file that nobody vouches for. */
const MAX_DIGESTS_BYTES = 16 * 1024 * 1024;

/** Computes what follows the content of a file while the content is written. */
export class Seal {
  #digests = Buffer.alloc(64 * DIGEST_BYTES);
  #pieces = 0;
  #hash = createHash('sha256');
  #size = 0;

  /** Takes the next bytes of the content, as many as there are. */
  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + PIECE_BYTES - (this.#size % PIECE_BYTES));
      this.#hash.update(part);
      this.#size += part.length;
      at += part.length;
      if (this.#size % PIECE_BYTES === 0) this.#endPiece();
    }
  }

  /** The bytes to write after the last ones of the content, for a file at this path. */
  end(path: string, key: Uint8Array): Buffer {
    if (this.#size % PIECE_BYTES !== 0) this.#endPiece();
    const digests = this.#digests.subarray(0, this.#pieces * DIGEST_BYTES);
    return Buffer.concat([digests, markOf({ path, size: this.#size, digests }, key)]);
  }

  #endPiece(): void {
    const end = (this.#pieces + 1) * DIGEST_BYTES;
    if (end > this.#digests.length) this.#digests = Buffer.concat([this.#digests], 2 * this.#digests.length);
    this.#hash.digest().copy(this.#digests, end - DIGEST_BYTES, 0, DIGEST_BYTES);
    this.#hash = createHash('sha256');
    this.#pieces++;
  }
}

/** Who may have written a file, and where it is said that somebody else did. */
export interface SealCheck {
  readonly markKeys: MarkKeys;
  readonly log: Log;
}

/** What was written into a file is not there any more. */
export class UnreadableFileError extends Error {
  override readonly name = 'UnreadableFileError';
}

/** An open file whose mark is right. */
export class SealedFile {
  readonly handle: FileHandle;
  /** Bytes of its content. */
  readonly size: number;
  /** Of its pieces, one after the other. */
  readonly digests: Uint8Array;

  readonly #path: string;

  constructor(handle: FileHandle, { path, size, digests }: Sealed) {
    this.handle = handle;
    this.#path = path;
    this.size = size;
    this.digests = digests;
  }

  /**
   * Bytes of the content, in `space` if it has room for the pieces that they are in. Rejects with an UnreadableFileError
   * if they are not there as they were written.
   */
  async read(start: number, length: number, space?: Buffer): Promise<Buffer> {
    const from = start - (start % PIECE_BYTES);
    const to = Math.min(this.size, Math.ceil((start + length) / PIECE_BYTES) * PIECE_BYTES);
    if (start + length > to) throw new UnreadableFileError('The file is shorter than its index says.');
    const hasRoom = space !== undefined && space.length >= to - from;
    const bytes = hasRoom ? space.subarray(0, to - from) : Buffer.allocUnsafeSlow(to - from);
    for (let at = 0; at < bytes.length; at += READ_BYTES) {
      const part = bytes.subarray(at, at + READ_BYTES);
      await fill(part, this.handle, from + at);
      requireIntact(this.digests, from + at, part);
    }
    return bytes.subarray(start - from, start - from + length);
  }

  close(): Promise<void> {
    return this.handle.close();
  }

  /** Deletes it where it still has its path. */
  remove(): Promise<void> {
    return rm(this.#path, { force: true });
  }
}

/** Throws an UnreadableFileError if these bytes, whole pieces from a multiple of 8 kB on, are not those of which the digests are. */
export function requireIntact(digests: Uint8Array, from: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const digest = hash('sha256', bytes.subarray(at, at + PIECE_BYTES), 'buffer');
    const place = ((from + at) / PIECE_BYTES) * DIGEST_BYTES;
    if (digest.compare(digests, place, place + DIGEST_BYTES, 0, DIGEST_BYTES) !== 0)
      throw new UnreadableFileError('The file has been changed.');
  }
}

/**
 * Opens a sealed file. Null if there is none, or if its mark is missing or wrong: then it is deleted, with a line in the
 * log.
 */
export async function openSealed(path: string, { markKeys, log }: SealCheck): Promise<SealedFile | null> {
  const handle = await openPlainFile(path);
  if (handle === null) return null;
  const sealed = await readSeal(handle, path, markKeys).catch(() => null);
  if (sealed !== null) return sealed;
  log.warn(
    { file: path },
    'a file of the cache was thrown away: it is damaged, or has no mark by a key of this service',
  );
  await handle.close();
  await rm(path, { force: true }).catch(() => {});
  return null;
}

/**
 * An open file as a sealed one, by the path that it has or will have. Null if its mark is missing or wrong; rejects if it
 * cannot be read.
 */
export async function readSeal(handle: FileHandle, path: string, markKeys: MarkKeys): Promise<SealedFile | null> {
  const sealedBytes = (await handle.stat()).size - MARK_BYTES;
  const digestsBytes = Math.ceil(sealedBytes / (PIECE_BYTES + DIGEST_BYTES)) * DIGEST_BYTES;
  const size = sealedBytes - digestsBytes;
  if (size < 0 || digestsBytes > MAX_DIGESTS_BYTES) return null;
  const seal = Buffer.alloc(digestsBytes + MARK_BYTES);
  await fill(seal, handle, size);
  const [digests, mark] = [seal.subarray(0, digestsBytes), seal.subarray(digestsBytes)];
  const isRight = markKeys.some((key) => timingSafeEqual(mark, markOf({ path, size, digests }, key)));
  return isRight ? new SealedFile(handle, { path, size, digests }) : null;
}

interface Sealed {
  readonly path: string;
  readonly size: number;
  readonly digests: Uint8Array;
}

function markOf({ path, size, digests }: Sealed, key: Uint8Array): Buffer {
  const place = `${basename(dirname(path))}/${basename(path)}`;
  return createHmac('sha256', key).update(`${place}\n${size}\n`).update(digests).digest();
}

/** Fills a buffer with the bytes of a file from a place on. Rejects at the end of the file. */
async function fill(bytes: Buffer, handle: FileHandle, at: number): Promise<void> {
  for (let read = 0; read < bytes.length; ) {
    const { bytesRead } = await handle.read(bytes, read, bytes.length - read, at + read);
    if (bytesRead === 0) throw new UnreadableFileError('The file is shorter than it was.');
    read += bytesRead;
  }
}
