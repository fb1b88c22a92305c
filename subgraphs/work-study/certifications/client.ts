import { type Awaitable, isPromise, whenThere } from '../../../kernel/awaitable.js';
import { CodedError } from '../../../kernel/errors.js';
import type { OperationContext } from '../../../kernel/operation.js';
import { stepsInTurns } from '../../../runtime/event-loop/turns.js';
import { brokenOff } from '../../rest/failures.js';
import { rawOf, type Sender, wrongType } from '../../rest/shape.js';
import {
  type Upstream,
  type UpstreamRequest,
  type UpstreamResponse,
  unattendedOperation,
} from '../../rest/upstream.js';
import { parseList, queryOf, REFERENCE, route } from '../values/calls.js';
import { Certification, type CertificationView } from './shapes.js';
import { isWanted, type Wanted, WholeList } from './whole-list.js';

/** Which certifications to read: null means those without the code, undefined means any (work-study 7.11). */
export interface CertificationFilter extends Wanted {
  readonly cfd?: string | null | undefined;
  readonly rncp?: string | null | undefined;
}

/** An error in a list is the error of its item. */
type Items = readonly (CertificationView | null)[];

/** Certifications in the order of the source. */
export interface Certifications {
  /** How many there are, and an error at the end where the list is not complete. */
  readonly length: number;
  readonly complete: boolean;
  items(from: number, to: number): Awaitable<Items>;
}

/**
 * All certifications that match (work-study 7.11): data that all callers share, fetched with the operator's key. The
 * source filters by codes alone; without one it sends its whole collection, which is kept for all filters.
 */
export function readCertifications(
  upstream: Upstream,
  filter: CertificationFilter,
  operation: OperationContext,
): Awaitable<Certifications> {
  if (filter.cfd === undefined && filter.rncp === undefined) {
    return whenThere(readWhole(upstream, operation), (whole) => matching(whole, filter));
  }
  return whenThere(upstream.read(requestCertifications(filter), operation), (found) => {
    const { items, complete } = found ?? NONE;
    // An error stands for a certification that may be wanted.
    const wanted = items.filter((item: unknown) => item instanceof Error || isWanted(rawOf(item), filter));
    return { length: wanted.length, complete, items: (from, to) => wanted.slice(from, to) };
  });
}

/** Certifications that lead to an occupation, as far as memory has the whole collection; null while it does not. */
export function recallCertifications(
  upstream: Upstream,
  rome: string,
  operation: OperationContext,
): Certifications | null {
  const whole = upstream.recall(WHOLE, operation)?.value ?? null;
  return whole && matching(whole, { level: null, romes: [rome], rncpActive: null });
}

/** Certifications of one code, in the order of the source. */
type Coded = ReturnType<typeof parseCertifications>;

const NONE = { items: [], complete: true };

const ROUTE = { ...route('GET', '/certification/v1'), ...REFERENCE };

/** On the wire, the word `null` selects records without the code. */
function requestCertifications({ cfd, rncp }: CertificationFilter): UpstreamRequest<Coded> {
  const wired = (code: string | null | undefined) => (code === null ? 'null' : code);
  const query = queryOf({ 'identifiant.cfd': wired(cfd), 'identifiant.rncp': wired(rncp) });
  return { ...ROUTE, query, unknown: 'null', streamed: true, parse: parseCertifications };
}

/** The last item is an error where the source broke off its list. */
function parseCertifications({ json, isCut = false, sender }: UpstreamResponse) {
  const items: Items = parseList(Certification, json, sender);
  if (items.length === 0) return null;
  return { items: isCut ? [...items, brokenOff(sender.service) as unknown as null] : items, complete: !isCut };
}

/** How long the source may take to send its whole collection, in milliseconds: longer than a caller waits. */
const WHOLE_MS = 120_000;

const WHOLE: UpstreamRequest<Whole> = {
  ...ROUTE,
  attemptMs: WHOLE_MS,
  gather: (rows) => WholeList.gather(rows),
  parse: parseWhole,
};

/** The whole collection, as far as it was sent. */
type Whole = ReturnType<typeof parseWhole>;

function parseWhole({ json, isCut = false, sender: { service, drift } }: UpstreamResponse) {
  const sender = { service, drift };
  if (!(json instanceof WholeList)) throw wrongType('a list', 'Certification[]', sender);
  if (json.size === 0) throw isCut ? brokenOff(service) : wrongType('a list with items', 'Certification[]', sender);
  return { list: json, isCut, sender };
}

/** Sources whose collection is being read for whoever asks for it next. */
const loading = new WeakSet<Upstream>();

/** Reading goes on when all who asked have run out of time: they would never get it otherwise. */
function readWhole(upstream: Upstream, operation: OperationContext): Awaitable<Whole> {
  const reading = whenThere(upstream.read(WHOLE, operation), (whole) => {
    if (whole === null) throw new CodedError('INTERNAL', 'A list was read as unknown.');
    return whole;
  });
  if (!isPromise(reading) || loading.has(upstream)) return reading;
  loading.add(upstream);
  const signal = new AbortController().signal;
  upstream
    .call(WHOLE, unattendedOperation({ purpose: 'certifications', ms: WHOLE_MS, signal, dryRun: operation.dryRun }))
    .then(null, () => {})
    .finally(() => loading.delete(upstream));
  return reading;
}

function matching({ list, isCut, sender }: Whole, filter: Wanted): Certifications {
  const places = list.placesOf(filter);
  const broken = list.isFull ? tooLarge(sender) : brokenOff(sender.service);
  return {
    length: places.length + (isCut ? 1 : 0),
    complete: !isCut,
    items(from, to) {
      const wanted = places.slice(from, to);
      const read: Awaitable<Items> = stepsInTurns(list.read(wanted, sender));
      const isLast = from <= places.length && to > places.length;
      // As an item, an Error is the error of that item to graphql-js, which no type says.
      return whenThere(read, (items) => (isCut && isLast ? [...items, broken as unknown as null] : items));
    },
  };
}

function tooLarge({ service }: Sender): CodedError {
  const message = `${service} has more certifications than there is memory for.`;
  return new CodedError('UPSTREAM_INVALID_RESPONSE', message, { service });
}
