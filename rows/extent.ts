import { LACKS, type Lack, lackOf } from './lacks.js';
import type { ListLimit } from './list-limits.js';
import { goesOn, pageOf } from './page-query.js';
import { isList, isObject, type Json, type JsonObject, readPath, type Step, writePath } from './path.js';

/** How much of a list a response has, as far as anything tells. */
export type Extent =
  | { readonly kind: 'all' }
  /** One page of the list, or of one that it is part of. `of` is null if the whole is not known. */
  | { readonly kind: 'page'; readonly list: string; readonly rows: number; readonly of: number | null }
  /** Pages below another list, of which some go on. */
  | { readonly kind: 'innerPages'; readonly list: string; readonly open: number; readonly pages: number }
  | { readonly kind: Lack }
  /** Errors left rows or cells empty. */
  | { readonly kind: 'failed'; readonly errors: number }
  /** There may be more: the response does not say, as it lacks these fields beside the list, or has `first` rows. */
  | { readonly kind: 'unknown'; readonly list: string; readonly lacks: string | null };

/** A response, as far as its extent depends on it. */
export interface ExtentSource {
  readonly data: JsonObject | null | undefined;
  readonly errors: readonly { readonly path?: readonly (string | number)[] | undefined }[];
  /** Number of all errors, if the response lists only the first ones. */
  readonly errorCount?: number;
}

/** How much of the list at a path a response has: what is certain before what is not. */
export function extentOf(response: ExtentSource, path: string, limits: readonly ListLimit[]): Extent {
  const { data } = response;
  const steps = readPath(path);
  const lists = limits.map((limit) => listExtent(data ?? undefined, steps, limit));
  const certain = lists.find((extent) => extent?.kind === 'page' || extent?.kind === 'innerPages');
  if (certain) return certain;
  const lack = lackOf(data, path) ?? (lists.some((extent) => extent?.kind === 'notComplete') ? 'notComplete' : null);
  if (lack !== null) return { kind: lack };
  const errors = errorsIn(response, steps);
  if (errors > 0) return { kind: 'failed', errors };
  return lists.find((extent) => extent !== null) ?? { kind: 'all' };
}

/** How many errors may have left rows of a list or their cells empty: rows repeat the values around them. */
export function errorsIn({ errors, errorCount = errors.length }: ExtentSource, steps: readonly Step[]): number {
  const [root] = steps;
  const unlisted = Math.max(0, errorCount - errors.length);
  if (root === undefined || !('key' in root)) return errors.length + unlisted;
  return unlisted + errors.filter(({ path }) => path?.[0] === undefined || path[0] === root.key).length;
}

/** What the lists at one place of the path lack; null if they have everything. */
function listExtent(data: Json | undefined, steps: readonly Step[], limit: ListLimit): Extent | null {
  const { at, isPage, isLater, first, flags, name } = limit;
  // Nothing says more of them, and there may be 100,000.
  if (!isPage && first === null && flags.length === 0) return null;
  const list = writePath(steps.slice(0, at + 1));
  const key = keyOf(steps[at - 1]);
  const isInner = steps.slice(0, at).some((step) => 'each' in step);
  let [pages, open] = [0, 0];
  let unknown: Extent | null = null;
  for (const [object, around] of objectsAt(data, steps.slice(0, at - 1))) {
    const rows = object[key];
    if (!isList(rows)) continue;
    if (object[`${name}Complete`] === false) return { kind: 'notComplete' };
    const page = isPage ? pageOf(object, key) : null;
    const isWhole = page !== null && !isLater && page.totalCount !== null && rows.length >= page.totalCount;
    pages += 1;
    if (page !== null && (goesOn(page) || isLater)) {
      if (!isInner) return { kind: 'page', list, rows: rows.length, of: page.totalCount };
      open += 1;
    }
    const lacks = isWhole ? [] : lackingOf(object, around, flags);
    if (page !== null && page.hasNext === null && page.totalCount === null) lacks.push('pageInfo { hasNextPage }');
    if (lacks.length > 0) unknown ??= { kind: 'unknown', list, lacks: lacks.join(' ') };
    else if (first !== null && !(rows.length < first)) unknown ??= { kind: 'unknown', list, lacks: null };
    if (page === null && unknown !== null) return unknown;
  }
  return open > 0 ? { kind: 'innerPages', list, open, pages } : unknown;
}

/** The flags that an object does not have. */
function lackingOf(object: JsonObject, around: JsonObject | null, flags: readonly string[]): string[] {
  const { complete, counted, total = around?.['totalCount'] } = object;
  const isCounted = typeof complete === 'boolean' || (typeof counted === 'number' && typeof total === 'number');
  return flags.filter((flag) => {
    if (flag === 'counted' && flags.includes('complete')) return false;
    return flag === 'complete' || flag === 'counted' ? !isCounted : typeof object[flag] !== 'boolean';
  });
}

/** The objects at the end of the steps, of all parents, each with the object around it. */
function* objectsAt(
  value: Json | undefined,
  steps: readonly Step[],
  from = 0,
  around: JsonObject | null = null,
): Generator<readonly [JsonObject, JsonObject | null]> {
  const step = steps[from];
  if (step === undefined) {
    if (isObject(value)) yield [value, around];
  } else if ('key' in step) {
    if (isObject(value)) yield* objectsAt(value[step.key], steps, from + 1, value);
  } else if (isList(value)) {
    for (const item of value) yield* objectsAt(item, steps, from + 1, around);
  }
}

function keyOf(step: Step | undefined): string {
  return step !== undefined && 'key' in step ? step.key : '';
}

const TEXTS = {
  en: {
    page: (rows: number, of: number | null, list: string | null) =>
      `one page of ${rows} rows${of === null ? '' : ` of ${of}`}${list === null ? '' : ` of ${list}`}`,
    innerPages: (list: string, open: number, pages: number) =>
      `one page of each ${list}: ${open} of ${pages} have more rows`,
    failed: (errors: number) => `${errors} ${errors === 1 ? 'error' : 'errors'} left rows or cells empty`,
    unselected: (list: string, lacks: string) => `perhaps not all: the query does not select ${lacks} beside ${list}`,
    limited: (list: string) => `perhaps not all: ${list} has as many rows as the query asks for`,
    ...LACKS,
  },
  fr: {
    page: (rows: number, of: number | null, list: string | null) =>
      `une page de ${rows} lignes${of === null ? '' : ` sur ${of}`}${list === null ? '' : ` de ${list}`}`,
    innerPages: (list: string, open: number, pages: number) =>
      `une page de chaque ${list} : ${open} sur ${pages} ont d’autres lignes`,
    failed: (errors: number) =>
      `${errors} ${errors === 1 ? 'erreur a laissé' : 'erreurs ont laissé'} vides des lignes ou des cellules`,
    unselected: (list: string, lacks: string) =>
      `peut-être pas tout : la requête ne sélectionne pas ${lacks} à côté de ${list}`,
    limited: (list: string) => `peut-être pas tout : ${list} a autant de lignes que la requête en demande`,
    truncated: 'la liste est tronquée : sa source a peut-être d’autres lignes que celles-ci',
    notComplete: 'la liste est incomplète : ce qu’elle contient et compte est un minimum',
  },
};

/** What the rows of the list at `path` lack, for a file; null if nothing. */
export function describeExtent(extent: Extent, path: string, language: keyof typeof TEXTS): string | null {
  const texts = TEXTS[language];
  switch (extent.kind) {
    case 'all':
      return null;
    case 'page':
      return texts.page(extent.rows, extent.of, extent.list === path ? null : plain(extent.list));
    case 'innerPages':
      return texts.innerPages(plain(extent.list), extent.open, extent.pages);
    case 'failed':
      return texts.failed(extent.errors);
    case 'unknown':
      return extent.lacks === null
        ? texts.limited(plain(extent.list))
        : texts.unselected(plain(extent.list), extent.lacks);
    default:
      return texts[extent.kind];
  }
}

function plain(list: string): string {
  return list.replaceAll('[]', '');
}
