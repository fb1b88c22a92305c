import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach } from 'vitest';
import { countMatching, listRows } from '../../../subgraphs/work-study/export/answers.js';
import type { Where } from '../../../subgraphs/work-study/export/questions.js';
import { SiretDirectory } from '../../../subgraphs/work-study/export/siret-directory.js';
import { JobOffer } from '../../../subgraphs/work-study/jobs/shapes.js';
import { operationFor } from '../../subgraph-harness.js';
import { temporaryFolder } from '../../temporary-folder.js';

export const BAKERY = '73282932000074';
export const POST_OFFICE = '35600000000048';
export const UNKNOWN = '55208131766522';
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;

export const offer = (id: string, siret: string | null, partner = 'Hellowork') => ({
  identifier: { id, partner_label: partner },
  workplace: { name: 'Boulangerie "Été"', description: `"siret":"${UNKNOWN}"`, siret },
  offer: { title: 'Boulanger' },
});

export const rows = [
  offer('1', BAKERY),
  offer('2', POST_OFFICE),
  offer('3', null),
  offer('4', BAKERY, 'recruteurs_lba'),
  offer('5', BAKERY),
];

/** A service with an export, as the directory sees it, and a clock that a test moves. */
export function createService() {
  const service = {
    nowMs: 0,
    lastUpdate: '2025-06-26T08:28:05.000Z',
    file: JSON.stringify(rows),
    /** May reject, or delay the link or the file. */
    beforeLink: async () => {},
    beforeFile: async () => {},
    /** May delay the next piece, after `_sent` bytes of `_of`. */
    pauseAt: async (_sent: number, _of: number) => {},
    requests: { links: 0, files: 0 },
    signals: [] as AbortSignal[],
    warnings: 0,
    drifts: [] as string[],
  };
  const options = {
    async exportLink() {
      service.requests.links++;
      await service.beforeLink();
      return { url: `https://storage.example/${service.requests.links}`, lastUpdate: service.lastUpdate };
    },
    async *download(_url: string, signal: AbortSignal, onLength?: (bytes: number) => void) {
      service.requests.files++;
      service.signals.push(signal);
      await service.beforeFile();
      const bytes = Buffer.from(service.file);
      onLength?.(bytes.length);
      // Pieces that cut rows in two, some hundred of them for a large file.
      const piece = Math.max(100, Math.ceil(bytes.length / 300));
      for (let from = 0; from < bytes.length; from += piece) {
        await service.pauseAt(from, bytes.length);
        yield bytes.subarray(from, from + piece);
      }
    },
    sender: { service: 'work-study' as const, drift: (place: string) => void service.drifts.push(place) },
    clock: {
      monotonicMs: () => service.nowMs,
      wallMs: () => service.nowMs,
      after: () => () => {},
      soon: (task: () => void) => task(),
    },
    log: { debug: () => {}, info: () => {}, warn: () => service.warnings++, error: () => {} },
  };
  return { service, options };
}

export function deferred() {
  let resolve = () => {};
  let reject = (_reason: Error) => {};
  const promise = new Promise<void>((fulfil, fail) => {
    resolve = fulfil;
    reject = fail;
  });
  return { promise, resolve, reject };
}

/** The rows of a SIRET, looked up by a request of their own. */
export async function find(directory: SiretDirectory, siret: string) {
  const [rows = null] = await directory.findAll([siret], operationFor({}));
  if (rows instanceof Error) throw rows;
  return rows;
}

export const ids = (found: readonly unknown[] | null) =>
  found?.map((row) => (row as (typeof rows)[0] | null)?.identifier.id ?? null) ?? null;

/** Arguments of a list of the export: its filters, and the rest beside them. */
export type Args = Omit<Parameters<typeof listRows>[1], 'where'> & Where;

/** What requests of their own are answered from a directory. */
export function askedOf(directory: SiretDirectory) {
  const from = () => ({ directory, upstream: createService().options, operation: operationFor({}) });
  /** A page with its count. */
  async function offers({ first = null, after = null, orderBy = null, ...where }: Args) {
    const page = await listRows(
      from(),
      { first, after, orderBy, where },
      { kind: 'OFFER', shape: JobOffer, list: 'offers' },
    );
    return { ...page, totalCount: await page.total(operationFor({})) };
  }
  return {
    directory,
    from,
    offers,
    idsOf: async (args: Args) =>
      (await offers({ first: 1000, ...args })).nodes.map(({ identifier }) => identifier?.offerId ?? null),
    counts: (args: Parameters<typeof countMatching>[1]) => countMatching(from(), args, 'OFFER'),
  };
}

/** What is answered from an export of these rows, or of this text. */
export async function openExport(file: readonly unknown[] | string) {
  const { service, options } = createService();
  service.file = typeof file === 'string' ? file : JSON.stringify(file);
  const directory = new SiretDirectory({ ...options, folder: temporaryFolder() });
  await directory.refreshIfDue();
  return askedOf(directory);
}

/** Directories in a temporary folder, closed after each test. */
export function useDirectories() {
  let folder: string;
  const open: SiretDirectory[] = [];

  beforeEach(async () => {
    folder = temporaryFolder();
  });

  afterEach(async () => {
    for (const directory of open.splice(0)) await directory.close();
  });

  /** A directory that stores its files in the folder, or nowhere if that is null. */
  function start(place: string | null = folder) {
    const { service, options } = createService();
    return { service, directory: reopen({ ...options, folder: place }), options };
  }

  function reopen(options: ConstructorParameters<typeof SiretDirectory>[0]): SiretDirectory {
    const directory = new SiretDirectory(options);
    open.push(directory);
    return directory;
  }

  return { start, reopen, folder: () => folder };
}

/** Names of what a directory stores in a folder, without the lock of whoever loads. */
export async function storedIn(folder: string): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name !== 'loading.lock').sort();
}

/** The path of the file that a directory stores in a folder. */
export async function fileIn(folder: string): Promise<string> {
  const [name = ''] = (await storedIn(folder)).filter((one) => one.endsWith('.db'));
  return join(folder, name);
}
