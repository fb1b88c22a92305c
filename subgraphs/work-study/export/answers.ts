import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { departmentByCode, REGIONS } from '../../codes/departments.js';
import { epciByCode } from '../../codes/epcis.js';
import { occupationByCode } from '../../codes/occupations.js';
import { badUserInput, together } from '../../graph/arguments.js';
import { checkFirst, readPage } from '../../graph/connection.js';
import type { Sender, Shape } from '../../rest/shape.js';
import type {
  ExportedOfferConnectionCountsArgs,
  ExportedSignal,
  PlaceKind,
  QueryExportedOffersArgs,
} from '../__generated__/resolvers.js';
import { arrondissementsIn } from '../communes/asked-commune.js';
import { communeIndex } from '../communes/commune-index.js';
import { inhabitantsOf } from '../communes/commune-names.js';
import type { CountedGroup, FoundRow, Place, Question } from './ask.js';
import { DatabaseError } from './export-thread.js';
import {
  checkAtLeast,
  checkLabels,
  type Kind,
  MAX_WIDENED_KM,
  radiusOf,
  readCounting,
  readOrder,
  readQuestion,
  type Where,
} from './questions.js';
import { SIGNALS } from './same-post.js';
import type { SiretDirectory } from './siret-directory.js';
import type { ExportFile } from './stored-export.js';
import type { DimensionName } from './tables.js';

const LEAVES_OUT =
  'The export never holds offers that the service fetches on the fly from the national employment agency, nor offers that are not to be broadcast to partners.';

/** A page of rows of the export. */
export type ExportedConnection<T> = Awaited<ReturnType<typeof listRows<T>>>;

/** Counts of rows of the export, whose keys have names. */
export type ExportedCounts = Awaited<ReturnType<typeof countMatching>>;

type CountArguments = ExportedOfferConnectionCountsArgs;
/** The arguments of every list. */
export type PageArguments = Pick<QueryExportedOffersArgs, 'first' | 'after' | 'orderBy'> & Filtered;

/** The arguments of every field that filters rows. */
interface Filtered {
  readonly where?: Where | null;
}

/** Which list is asked for, and how its rows are read. */
export interface ListWanted<T> {
  readonly kind: Kind;
  readonly shape: Shape<T>;
  /** Names the list in its cursors, with what it belongs to. */
  readonly list: string;
  /** What the rows belong to, beside the arguments. */
  readonly within?: Partial<Pick<Question, 'near' | 'terms'>>;
}

/** Where answers come from: the part of the request's context that they use. */
export interface AnswersFrom {
  readonly directory: SiretDirectory;
  readonly upstream: { readonly sender: Sender };
  readonly operation: OperationContext;
}

/** Largest page, as of all lists that are in memory. */
const MAX_PAGE = 1000;

/** A page of the rows that match. Rejects with a CodedError. */
export async function listRows<T>(from: AnswersFrom, args: PageArguments, wanted: ListWanted<T>) {
  const { kind, shape, list, within = {} } = wanted;
  const { first, after } = args;
  const filters = args.where ?? {};
  const [{ orderBy, ...placed }] = together(
    () => {
      const asked = readQuestion(kind, filters, Date.now());
      const placed = { ...asked, ...within, terms: [...asked.terms, ...(within.terms ?? [])] };
      checkAtLeast(filters.atLeast, placed.near);
      return { ...placed, orderBy: readOrder(args.orderBy, placed.near) };
    },
    () => checkFirst(first, MAX_PAGE),
  );
  // What was left out is as if it were written: both make the same cursors.
  const { near, statuses, validAt } = placed;
  const { duplicates, ...others } = filters;
  const meant = { radius: near?.radiusKm, status: statuses, includeExpired: validAt === null, orderBy };
  const filter = { ...others, ...meant, grouped: duplicates === 'GROUP' };
  if (isOfEarlierEngine(after)) throw new CodedError('CURSOR_EXPIRED', 'after is a cursor of an earlier version.');
  const { size, state, cursorAt } = readPage({ first, after }, { list, filter, maximum: MAX_PAGE });
  const [begunIn, ...places] = state ?? [];
  // What had expired when the list was first asked for stays out on all pages.
  const [nowMs = Date.now(), key = 0, row = 0] = numbersIn(places);
  const asked = { ...placed, validAt: validAt && nowMs, grouped: duplicates === 'GROUP' ? orderBy : null };
  const file = await exportInUse(from);
  const { lastUpdate } = file.about;
  if (state !== null && begunIn !== lastUpdate) {
    const message = `after is a cursor in the export of ${begunIn}, which that of ${lastUpdate} has replaced: begin again without it.`;
    throw new CodedError('CURSOR_EXPIRED', message);
  }
  return readHeld(from, file, async () => {
    await checkLabels(filters, (name) => file.ask(from.operation, 'labels', name));
    const question = { ...asked, near: await widened(from, file, asked, filters.atLeast ?? 0) };
    const place = state && { key, row };
    const page = await file.ask(from.operation, 'page', question, { orderBy, size, after: place });
    const rows = await file.readRows([...page.rows, ...page.rows.flatMap(({ others }) => others)], from.operation);
    const nodes = rows.map((row) => shape.view(row, from.upstream.sender));
    const repeats = nodes.splice(page.rows.length);
    const cursorOf = ({ key, row }: Place) => cursorAt(0, [lastUpdate, nowMs, key, row]);
    const [start, end] = [page.rows[0], page.rows.at(-1)];
    return {
      ...asOf(file, filters),
      /** Kilometres around the point within which the rows lie; null without a point. */
      radius: radiusOf(question.near),
      nodes,
      edges: page.rows.map((row, at) => ({
        node: nodes[at] as T,
        distance: row.km,
        /** The other offers of the post that match, and what all of its offers share; null unless they are grouped. */
        sameAs: question.grouped === null ? null : repeats.splice(0, row.others.length),
        reason: question.grouped === null ? null : reasonOf(row),
        cursor: () => cursorOf(row),
      })),
      pageInfo: {
        hasNextPage: page.hasMore,
        hasPreviousPage: state !== null,
        startCursor: () => start && cursorOf(start),
        endCursor: () => (size === 0 ? after : end && cursorOf(end)) ?? null,
      },
      total: (operation: OperationContext) =>
        readHeld({ ...from, operation }, file, () => file.ask(operation, 'total', question)),
      count: (counting: CountArguments, operation: OperationContext) =>
        countIn({ ...from, operation }, file, question, { where: filters, ...counting }),
    };
  });
}

/** Whether a cursor is that of the engine before, whose places mean nothing any more. */
function isOfEarlierEngine(after: string | null | undefined): boolean {
  return Buffer.from(after ?? '', 'base64url')
    .toString()
    .startsWith('["');
}

/** The numbers in a cursor, whose digest is no secret. Throws `BAD_USER_INPUT` for anything else. */
function numbersIn(places: readonly (string | number)[]): readonly number[] {
  return places.map((place) => {
    if (typeof place !== 'number') throw badUserInput('after', 'is not a cursor of this list');
    return place;
  });
}

/** The circle of a question, as large as `atLeast` rows need, in metres; the widest where there are not so many. */
async function widened(
  { operation }: AnswersFrom,
  file: ExportFile,
  question: Question,
  atLeast: number,
): Promise<Question['near']> {
  const { near, grouped } = question;
  if (near === null || atLeast === 0) return near;
  const orderBy = { by: 'DISTANCE', isReversed: false } as const;
  const widest = { ...question, near: { ...near, radiusKm: MAX_WIDENED_KM }, grouped: grouped && orderBy };
  const { rows } = await file.ask(operation, 'page', widest, { orderBy, size: atLeast, after: null });
  const last = rows[atLeast - 1]?.km ?? MAX_WIDENED_KM;
  // Up to the next metre, within which rounding leaves nothing out.
  const needed = Math.min(MAX_WIDENED_KM, (Math.floor(1000 * last) + 1) / 1000);
  return { ...near, radiusKm: Math.max(near.radiusKm, needed) };
}

/** Counts of the rows that match. Rejects with a CodedError. */
export async function countMatching(from: AnswersFrom, args: Filtered & CountArguments, kind: Kind) {
  const where = args.where ?? {};
  const [asked] = together(
    () => {
      const asked = readQuestion(kind, where, Date.now());
      checkAtLeast(where.atLeast, asked.near);
      return { ...asked, grouped: where.duplicates === 'GROUP' ? readOrder(null, asked.near) : null };
    },
    () => readCounting(args.by, args.top),
  );
  const file = await exportInUse(from);
  const near = await readHeld(from, file, async () => {
    await checkLabels(where, (name) => file.ask(from.operation, 'labels', name));
    return widened(from, file, asked, where.atLeast ?? 0);
  });
  return countIn(from, file, { ...asked, near }, args);
}

async function countIn(from: AnswersFrom, file: ExportFile, question: Question, args: Filtered & CountArguments) {
  const counting = readCounting(args.by, args.top);
  const counted = await readHeld(from, file, () => file.ask(from.operation, 'count', question, counting));
  const groups = counted.groups.map((group) => described(group, counting.by));
  return { ...asOf(file, args.where ?? {}), ...counted, groups };
}

/** How many rows of a kind are listed under each occupation, by ROME code. Rejects with a CodedError. */
export async function countByRome(from: AnswersFrom, kind: Kind): Promise<ReadonlyMap<string, number>> {
  const question = readQuestion(kind, {}, Date.now());
  const file = await exportInUse(from);
  const wanted = { by: ['rome'], top: Number.POSITIVE_INFINITY } as const;
  const { groups } = await readHeld(from, file, () => file.ask(from.operation, 'count', question, wanted));
  return new Map(groups.map(({ key: [code], count }) => [code ?? '', count]));
}

/**
 * The ROME code that each of these words almost only goes with in titles of offers; null if they have several or none, or
 * while there is no export.
 */
export async function romeOfTitles(from: AnswersFrom, words: readonly string[]): Promise<string | null> {
  from.operation.recorder.forbidCaching();
  const file = await from.directory.current(false);
  if (file === null || words.length === 0) return null;
  const [rome = null, ...others] = new Set(
    await readHeld(from, file, () => file.ask(from.operation, 'romesOf', words)),
  );
  return others.length === 0 ? rome : null;
}

/** Reads a file that stays open meanwhile, and is given up if it cannot be read; it may have been replaced before. */
async function readHeld<T>({ directory }: AnswersFrom, file: ExportFile, read: () => Promise<T>): Promise<T> {
  if (file.isClosed)
    throw new CodedError('CURSOR_EXPIRED', 'The export was replaced while this was answered: ask again.');
  try {
    return await file.hold(read);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await directory.discard(file, error);
    throw whyNot(directory);
  }
}

/** What every answer says about the export. */
function asOf({ about }: ExportFile, { insee, near }: Where) {
  return {
    asOf: about.lastUpdate,
    /** Whether every row could be read. */
    complete: about.unreadable === 0,
    leavesOut: LEAVES_OUT,
    askedArrondissements: arrondissementsIn([...(insee ?? []), near?.insee ?? '']),
  };
}

/** The export in use; rejects with a CodedError that says why there is none. */
async function exportInUse({ directory, operation }: AnswersFrom): Promise<ExportFile> {
  // What is listed may expire, and the export be replaced, before what the rows lead to is no longer fresh.
  operation.recorder.forbidCaching();
  const file = await directory.current(operation.dryRun !== true);
  if (file === null) throw whyNot(directory);
  operation.recorder.readStored({ service: 'work-study', asOf: file.about.lastUpdate });
  return file;
}

/** After which it is worth asking again while the export loads. */
const LOADING_SECONDS = 10;

function whyNot(directory: SiretDirectory): CodedError {
  if (directory.state() === 'refused') {
    return new CodedError(
      'PERMISSION_DENIED',
      "The service refuses the operator's key the daily export. The operator should ask the service for the right to download it (`GET /job/v1/export`); a key of your own opens nothing more.",
      { service: 'work-study' },
    );
  }
  const failure = directory.failure();
  return new CodedError(
    'GATEWAY_UNAVAILABLE',
    failure === null ? 'The daily export is not loaded and indexed yet.' : `There is no export to ask: ${failure}.`,
    { service: 'work-study', retryAfterSeconds: failure === null ? LOADING_SECONDS : directory.secondsToTry() },
  );
}

/** What the offers of a row's post have in common; nothing if it is the only one that matches. */
function reasonOf({ others, signals }: FoundRow): ExportedSignal[] {
  if (others.length === 0) return [];
  const named = Object.entries(SIGNALS) as [keyof typeof SIGNALS, number][];
  return [...named.flatMap(([name, bit]) => ((signals & bit) === 0 ? [] : [name])), 'TITLE', 'TEXT'];
}

/** Words of this graph in French, and those of all dimensions. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    OTHER: 'Autre',
    APPRENTISSAGE: "Contrat d'apprentissage",
    PROFESSIONNALISATION: 'Contrat de professionnalisation',
    ONSITE: 'Sur site',
    REMOTE: 'À distance',
    HYBRID: 'Hybride',
    LEVEL_1: 'Niveau 1',
    LEVEL_2: 'Niveau 2',
    LEVEL_3: 'Niveau 3 (CAP, BEP)',
    LEVEL_4: 'Niveau 4 (baccalauréat)',
    LEVEL_5: 'Niveau 5 (BTS, bac + 2)',
    LEVEL_6: 'Niveau 6 (licence, BUT, bac + 3)',
    LEVEL_7: 'Niveau 7 (master, bac + 5)',
    LEVEL_8: 'Niveau 8 (doctorat)',
  }),
);

/** What official lists call the keys of dimensions, and which kind of places they are. */
const LISTS: Partial<Record<DimensionName, { nameOf(code: string): string | undefined; readonly kind?: PlaceKind }>> = {
  commune: { nameOf: (code) => communeIndex().byInsee.get(code)?.nom, kind: 'COMMUNE' },
  epci: { nameOf: (code) => epciByCode(code)?.nom, kind: 'EPCI' },
  department: { nameOf: (code) => departmentByCode(code)?.nom, kind: 'DEPARTMENT' },
  region: { nameOf: (code) => REGIONS.find((one) => one.code === code)?.nom, kind: 'REGION' },
  rome: { nameOf: (code) => occupationByCode(code)?.label },
};
/** Dimensions whose keys are words of this graph. */
const WORDED: readonly (DimensionName | undefined)[] = ['diploma', 'contract', 'remote'];

/** A group with what its keys are called: by the official lists, else as rows say, else as they are. */
function described({ key, label, count }: CountedGroup, by: readonly DimensionName[]) {
  const lists = by.map((name) => LISTS[name]);
  const inhabitants = lists.flatMap((list, at) => (list?.kind ? inhabitantsOf(list.kind, key[at] ?? '') : []));
  const fewest = Math.min(...inhabitants);
  return {
    key,
    label: key.map((code, at) =>
      code === null ? 'Non renseigné' : (lists[at]?.nameOf(code) ?? label[at] ?? WORDS.get(code) ?? code),
    ),
    count,
    /** The keys as filters take them: none is by a month, or by what has a word unknown here. */
    value: key.map((code, at) => (by[at] === 'month' || (code === 'OTHER' && WORDED.includes(by[at])) ? null : code)),
    /** Rows per 1,000 inhabitants of its place, the smaller of two; null without one, and where nobody lives. */
    perThousandInhabitants: Number.isFinite(fewest) && fewest > 0 ? (1000 * count) / fewest : null,
  };
}
