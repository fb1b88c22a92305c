import type { Awaitable } from '../../../kernel/awaitable.js';
import { departmentByCode } from '../../codes/departments.js';
import { departmentOfInsee, departmentOfPostalCode, isPostalCode } from '../../codes/places.js';
import type { Page, PageContent } from '../../graph/connection.js';
import { orNull } from '../../rest/shape.js';
import { isView, type ListQuery, type QueryParameters, type Row } from '../values/lists.js';
import { MAX_ORGANIZATIONS, type OrganizationList } from './client.js';
import type { OrganizationView } from './shapes.js';

/** Most calls for one page. */
export const DEPARTMENT_CALLS = 4;
/** Offsets reserved for each part of the list; the register has between one and three million rows (volunteering 9). */
const PART = 1_000_000_000;

interface DepartmentQuery {
  readonly departments: readonly string[];
  /** The other filters, in the service's vocabulary. */
  readonly filter: QueryParameters;
}

/** One part of the list: the request for it, and which of the rows belong to it. */
interface Part {
  readonly filter: QueryParameters;
  belongs(row: OrganizationView): boolean;
  /** Identifiers of the rows that were read: the source may ignore where a call begins, or move rows to the next. */
  readonly known: Set<string>;
  /** Index of the part that follows this one, given its last response and that response's offset. */
  next(rows: readonly Row<OrganizationView>[], skip: number): number;
}

/**
 * A page of the organizations with a seat in one of the départements. The service cannot filter by it, so rows are read
 * until the page is full, the list ends or repeats itself, or the page has used up its calls. In the last cases it may be
 * short, and the next page resumes where it stopped.
 */
export async function readByDepartment(
  page: Page,
  query: DepartmentQuery,
  fetch: (query: ListQuery) => Awaitable<OrganizationList | null>,
): Promise<PageContent<Row<OrganizationView>>> {
  const parts = partsOf(query);
  const items: OrganizationView[] = [];
  const places: number[] = [];
  // For a page of size 0 one row is looked for, to find out whether rows follow.
  const wanted = Math.max(1, page.size);
  let next = page.offset;
  for (let call = 0; call < DEPARTMENT_CALLS && items.length < wanted; call++) {
    const part = parts[Math.floor(next / PART)];
    if (part === undefined) break;
    const skip = next % PART;
    const sent = (await fetch({ filter: part.filter, skip, limit: MAX_ORGANIZATIONS }))?.rows ?? [];
    const ids = sent.map((row) => (isView(row) ? orNull(() => row.id) : null));
    const rows = sent.map((row, index) => (part.known.has(ids[index] ?? '') ? null : row));
    if (sent.length > 0 && ids.every((id) => id !== null && part.known.has(id))) break;
    for (const id of ids) if (id !== null) part.known.add(id);
    let end = 0;
    for (; end < rows.length && items.length < wanted; end++) {
      const row = rows[end] ?? null;
      if (!isView(row) || !part.belongs(row)) continue;
      items.push(row);
      places.push(next + end);
    }
    const isRead = end === rows.length && rows.length < MAX_ORGANIZATIONS;
    next = isRead ? part.next(rows, skip) * PART : next + end;
  }
  const mayFollow = next < parts.length * PART;
  if (page.size === 0) return { items: [], totalCount: null, hasNextPage: items.length > 0 || mayFollow };
  const readUpTo = next > page.offset ? { readUpTo: next - 1 } : {};
  return { items, places, totalCount: null, hasNextPage: mayFollow, ...readUpTo };
}

/**
 * An RNA number begins with the département that registered the association, and today's service finds numbers by their
 * beginning. Those organizations come first, a hundred per call, then all others, which moved or have no such number.
 * If the first request finds nothing, as in the documented service, which matches whole words, all count as others.
 */
function partsOf({ departments, filter }: DepartmentQuery): Part[] {
  const hasSeat = (row: OrganizationView): boolean => departments.includes(seatDepartment(row) ?? '');
  const [department = '', another] = departments;
  // Overseas numbers begin differently, and with other arguments the list is short anyway.
  if (another !== undefined || department.length !== 2 || filter.length > 0) {
    return [{ filter, belongs: hasSeat, known: new Set(), next: () => 1 }];
  }
  const beginning = `W${department}`;
  const begins = (row: OrganizationView): boolean => orNull(() => row.rna)?.startsWith(beginning) === true;
  return [
    {
      filter: [['q', beginning]],
      belongs: (row) => begins(row) && hasSeat(row),
      known: new Set(),
      next: (rows, skip) => (skip > 0 || rows.some((row) => isView(row) && begins(row)) ? 1 : 2),
    },
    { filter: [], belongs: (row) => hasSeat(row) && !begins(row), known: new Set(), next: () => 3 },
    { filter: [], belongs: hasSeat, known: new Set(), next: () => 3 },
  ];
}

/**
 * Code of the département of an organization's seat: by its INSEE code, else its postal code, of which the register
 * drops leading zeros, else the source's own code. Null when none gives a département (volunteering 9).
 */
export function seatDepartment(organization: OrganizationView): string | null {
  const readers = [
    () => departmentOfCode(organization),
    () => departmentOfPost(organization.addressPostalCode),
    () => organization.addressDepartmentCode,
  ];
  for (const read of readers) {
    const code = orNull(read);
    if (code !== null && departmentByCode(code) !== undefined) return code;
  }
  return null;
}

/** Null also if the postal code is written in its place: as an INSEE code, 75011 is in 94. */
function departmentOfCode({ addressInseeCode, addressPostalCode }: OrganizationView): string | null {
  const code = addressInseeCode ?? '';
  return code === addressPostalCode ? null : departmentOfInsee(code);
}

function departmentOfPost(code: string | null): string | null {
  const postalCode = code?.padStart(5, '0') ?? '';
  return isPostalCode(postalCode) ? departmentOfPostalCode(postalCode) : null;
}
