import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { badUserInput, together } from '../../graph/arguments.js';
import { type Connection, type CursorScope, checkFirst, scopeDigest } from '../../graph/connection.js';
import type { Origin, Shape } from '../../rest/shape.js';
import type {
  ExportedOfferConnectionCountsArgs,
  ExportedSignal,
  QueryExportedOffersArgs,
} from '../__generated__/resolvers.js';
import { arrondissementsIn } from '../communes/asked-commune.js';
import type { Arrondissement } from '../communes/commune-index.js';
import type { Counted, CountedGroup, FoundRow, Place, Question } from './ask.js';
import { labelsOf, perThousandInhabitants } from './count-labels.js';
import { DatabaseError } from './export-thread.js';
import {
  checkAtLeast,
  checkLabels,
  type FilterArguments,
  type Kind,
  MAX_WIDENED_KM,
  radiusOf,
  readCounting,
  readOrder,
  readQuestion,
} from './questions.js';
import { SIGNALS } from './same-post.js';
import type { SiretDirectory } from './siret-directory.js';
import type { ExportFile } from './stored-export.js';

/** What every answer says about the export. */
interface AsOf {
  readonly asOf: string;
  /** Whether every row could be read. */
  readonly complete: boolean;
  readonly leavesOut: string;
  readonly askedArrondissements: readonly Arrondissement[];
}

const LEAVES_OUT =
  'The export never holds offers that the service fetches on the fly from the national employment agency, nor offers that are not to be broadcast to partners.';

/** One row of a page. */
interface Edge<T> {
  readonly node: T;
  readonly distance: number | null;
  /** The other offers of the post that match, and what all of its offers share; null unless they are grouped. */
  readonly sameAs: readonly T[] | null;
  readonly reason: readonly ExportedSignal[] | null;
  cursor(): string;
}

/** A page of rows of the export. */
export interface ExportedConnection<T> extends AsOf, Pick<Connection<T>, 'nodes' | 'pageInfo'> {
  readonly edges: readonly Edge<T>[];
  /** Kilometres around the point within which the rows lie; null without a point. */
  readonly radius: number | null;
  /** How many rows match. */
  total(operation: OperationContext): Promise<number>;
  /** Counts all that match. */
  count(args: CountArguments, operation: OperationContext): Promise<ExportedCounts>;
}

/** Counts of rows of the export. */
export interface ExportedCounts extends Omit<Counted, 'groups'>, AsOf {
  readonly groups: readonly NamedGroup[];
}

/** Rows with the same keys, each of which has a name. */
interface NamedGroup extends CountedGroup {
  readonly label: readonly string[];
  readonly perThousandInhabitants: number | null;
}

type CountArguments = ExportedOfferConnectionCountsArgs;
type PageArguments = FilterArguments & Pick<QueryExportedOffersArgs, 'first' | 'after' | 'orderBy'>;

/** Which list is asked for, and how its rows are read. */
interface ListWanted<T> {
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
  readonly upstream: { readonly origin: Origin };
  readonly operation: OperationContext;
}

/** Largest page, as of all lists that are in memory. */
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 25;

/** A page of the rows that match. Rejects with a CodedError. */
export async function listRows<T>(
  from: AnswersFrom,
  args: PageArguments,
  { kind, shape, list, within = {} }: ListWanted<T>,
): Promise<ExportedConnection<T>> {
  const { first, after, ...filters } = args;
  const size = first ?? DEFAULT_PAGE;
  const readPlaced = () => {
    const asked = readQuestion(kind, filters, Date.now());
    const placed = { ...asked, ...within, terms: [...asked.terms, ...(within.terms ?? [])] };
    checkAtLeast(args.atLeast, placed.near);
    return { ...placed, orderBy: readOrder(args.orderBy, placed) };
  };
  const [{ orderBy, ...placed }] = together(readPlaced, () => checkFirst(size, MAX_PAGE));
  // What was left out is as if it were written: both make the same cursors.
  const { near, statuses, validAt } = placed;
  const { duplicates, ...others } = filters;
  const meant = { radius: near?.radiusKm, status: statuses, includeExpired: validAt === null, orderBy };
  const scope = { list, filter: { ...others, ...meant, grouped: duplicates === 'GROUP' } };
  const started = after === null || after === undefined ? null : readCursor(after, scope);
  const nowMs = started?.nowMs ?? Date.now();
  const grouped = duplicates === 'GROUP' ? orderBy : null;
  const asked = { ...placed, validAt: validAt === null ? null : nowMs, grouped };
  const file = await exportInUse(from);
  if (started !== null && started.asOf !== file.about.lastUpdate) {
    const message = `after is a cursor in the export of ${started.asOf}, which that of ${file.about.lastUpdate} has replaced: begin again without it.`;
    throw new CodedError('CURSOR_EXPIRED', message);
  }
  return readHeld(from, file, async () => {
    await checkLabels(args, (name) => file.ask(from.operation, 'labels', name));
    const question = { ...asked, near: await widened(from, file, asked, args.atLeast ?? 0) };
    const page = await file.ask(from.operation, 'page', question, { orderBy, size, after: started?.place ?? null });
    const rows = await file.readRows([...page.rows, ...page.rows.flatMap(({ others }) => others)], from.operation);
    const nodes = rows.map((row) => shape.view(row, from.upstream.origin));
    const repeats = nodes.splice(page.rows.length);
    const cursorOf = (place: Place | undefined) =>
      place === undefined ? null : writeCursor({ asOf: file.about.lastUpdate, nowMs, place }, scope);
    return {
      ...asOf(file, args),
      radius: radiusOf(question.near),
      nodes,
      edges: page.rows.map((row, at) => ({
        node: nodes[at] as T,
        distance: row.km,
        sameAs: question.grouped === null ? null : repeats.splice(0, row.others.length),
        reason: question.grouped === null ? null : reasonOf(row),
        cursor: () => writeCursor({ asOf: file.about.lastUpdate, nowMs, place: row }, scope),
      })),
      pageInfo: {
        hasNextPage: page.hasMore,
        hasPreviousPage: started !== null,
        startCursor: () => cursorOf(page.rows[0]),
        endCursor: () => (size === 0 ? (after ?? null) : cursorOf(page.rows.at(-1))),
      },
      total: (operation) => readLater({ ...from, operation }, file, () => file.ask(operation, 'total', question)),
      count: (counting: CountArguments, operation: OperationContext) =>
        count({ ...from, operation }, file, question, { ...filters, ...counting }),
    };
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
  const widest = { ...question, near: { ...near, radiusKm: MAX_WIDENED_KM }, grouped: grouped && 'DISTANCE' } as const;
  const { rows } = await file.ask(operation, 'page', widest, { orderBy: 'DISTANCE', size: atLeast, after: null });
  const last = rows[atLeast - 1]?.km ?? MAX_WIDENED_KM;
  // Up to the next metre, within which rounding leaves nothing out.
  const needed = Math.min(MAX_WIDENED_KM, (Math.floor(1000 * last) + 1) / 1000);
  return { ...near, radiusKm: Math.max(near.radiusKm, needed) };
}

/** Counts of the rows that match. Rejects with a CodedError. */
export async function countMatching(
  from: AnswersFrom,
  { by, top, ...filters }: FilterArguments & CountArguments,
  kind: Kind,
): Promise<ExportedCounts> {
  const [asked] = together(
    () => readQuestion(kind, filters, Date.now()),
    () => readCounting(by, top),
  );
  const question = { ...asked, grouped: filters.duplicates === 'GROUP' ? readOrder(null, asked) : null };
  const file = await exportInUse(from);
  await readHeld(from, file, () => checkLabels(filters, (name) => file.ask(from.operation, 'labels', name)));
  return count(from, file, question, { ...filters, by, top: top ?? null });
}

/** How many rows of a kind are listed under each occupation, by ROME code. Rejects with a CodedError. */
export async function countByRome(from: AnswersFrom, kind: Kind): Promise<ReadonlyMap<string, number>> {
  const question = readQuestion(kind, {}, Date.now());
  const file = await exportInUse(from);
  const wanted = { by: ['rome'], top: Number.POSITIVE_INFINITY } as const;
  const { groups } = await readHeld(from, file, () => file.ask(from.operation, 'count', question, wanted));
  return new Map(groups.map(({ key: [code = ''], count }) => [code, count]));
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

async function count(
  from: AnswersFrom,
  file: ExportFile,
  question: Question,
  { by, top, ...filters }: FilterArguments & CountArguments,
): Promise<ExportedCounts> {
  const counting = readCounting(by, top);
  const counted = await readLater(from, file, () => file.ask(from.operation, 'count', question, counting));
  const groups = counted.groups.map((group) => ({
    ...group,
    label: labelsOf(group, counting.by),
    perThousandInhabitants: perThousandInhabitants(group, counting.by),
  }));
  return { ...asOf(file, filters), ...counted, groups };
}

/** Reads a file for what is asked of a list, by when it may have been replaced. */
function readLater<T>(from: AnswersFrom, file: ExportFile, read: () => Promise<T>): Promise<T> {
  if (file.isClosed)
    throw new CodedError('CURSOR_EXPIRED', 'The export was replaced while this was answered: ask again.');
  return readHeld(from, file, read);
}

/** Reads a file that stays open meanwhile, and is given up if it cannot be read. */
async function readHeld<T>({ directory }: AnswersFrom, file: ExportFile, read: () => Promise<T>): Promise<T> {
  try {
    return await file.hold(read);
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
    await directory.discard(file, error);
    throw whyNot(directory);
  }
}

function asOf({ about }: ExportFile, { insee, near }: FilterArguments): AsOf {
  const askedArrondissements = arrondissementsIn([...(insee ?? []), near?.insee ?? '']);
  return { asOf: about.lastUpdate, complete: about.unreadable === 0, leavesOut: LEAVES_OUT, askedArrondissements };
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

/** What a cursor says: the export, when its list was first asked for, and the row that it stands for. */
interface Cursor {
  readonly asOf: string;
  /** What had expired by then stays out on all pages. In milliseconds since 1970. */
  readonly nowMs: number;
  readonly place: Place;
}

function writeCursor({ asOf: date, nowMs, place: { key, row } }: Cursor, scope: CursorScope): string {
  const content = [date, nowMs, key, row];
  return Buffer.from(JSON.stringify([...content, scopeDigest(JSON.stringify(content), scope)])).toString('base64url');
}

/** Throws `BAD_USER_INPUT` unless `writeCursor` made it for this scope. */
function readCursor(text: string, scope: CursorScope): Cursor {
  const cursor = parseCursor(text);
  if (cursor === null || writeCursor(cursor, scope) !== text) {
    throw badUserInput('after', 'is not a cursor of this list with these arguments');
  }
  return cursor;
}

function parseCursor(text: string): Cursor | null {
  try {
    const [date, nowMs, key, row]: unknown[] = JSON.parse(Buffer.from(text, 'base64url').toString());
    const isCursor =
      typeof date === 'string' && typeof nowMs === 'number' && typeof key === 'number' && typeof row === 'number';
    return isCursor ? { asOf: date, nowMs, place: { key, row } } : null;
  } catch {
    return null;
  }
}
