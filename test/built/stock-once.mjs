/**
 * Stands for the builder of an export's columns, and builds those of each large export once in a process: it is most of
 * what a start does, and hundreds of stacks start in one, nearly all with the same export. Others get the same content.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Seal } from '../../runtime/stores/sealed-file.ts';
import { buildStock as build } from '../../subgraphs/work-study/export/builder.ts';

export * from '../../subgraphs/work-study/export/builder.ts';

/** That of the sandbox is larger, also at the smallest scale; those of tests of the builder itself are smaller. */
const LARGE_BYTES = 128 * 1024;
/** More than the scales of the sandbox that tests use often. */
const MAX_EXPORTS = 8;
/** Of a sealed file: each piece of 8 kB with its digest, and what is written at the end. */
const [SEALED_PIECE_BYTES, DIGEST_BYTES, MARK_BYTES] = [8 * 1024 + 16, 16, 32];

const contents = new Map();

export function* buildStock(task) {
  const { digests, header, columnsFd, sealedPath, markKey, progress } = task;
  if (header.bytes < LARGE_BYTES) return yield* build(task);
  const key = JSON.stringify([header, Buffer.from(digests).toString('base64')]);
  const content = contents.get(key);
  if (content === undefined) {
    yield* build(task);
    keep(key, readFileSync(columnsFd));
  } else {
    const seal = new Seal();
    seal.push(content);
    writeFileSync(columnsFd, Buffer.concat([content, seal.end(sealedPath, markKey)]));
    progress[0] = header.bytes;
  }
}

function keep(key, file) {
  const sealed = file.length - MARK_BYTES;
  contents.set(key, file.subarray(0, sealed - Math.ceil(sealed / SEALED_PIECE_BYTES) * DIGEST_BYTES));
  for (const [oldest] of contents) {
    if (contents.size <= MAX_EXPORTS) break;
    contents.delete(oldest);
  }
}
