import { LIMITS } from '../../../gateway/limits/document-rules.js';
import { MAX_ITEMS } from '../../../gateway/limits/operation-cost.js';
import type { Chance } from '../../sim/chance.js';

/** How large a query may become, and how its parts are written. */
export interface Size {
  readonly depth: number;
  readonly rootFields: number;
  readonly fields: number;
  /** Aliases in addition to those that root fields need. */
  readonly aliases: number;
  readonly items: number;
  /** Values of each list argument. */
  readonly listLength: number;
  /** Share of the arguments that are written as variables. */
  readonly variables: number;
  /** Share of the selections that are written as fragments. */
  readonly fragments: number;
  /** Share of the fields that carry directives. */
  readonly directives: number;
  /** Share of nested pages that request more than any source serves, which each row then refuses. */
  readonly refusedPages: number;
}

/** The limit to whose edge a query is written; the other sizes are random. */
export type Edge = keyof typeof EDGES;

/** The longest list argument that is accepted. */
const LONGEST_LIST = 200;

const EDGES = {
  depth: { depth: LIMITS.depth, fields: 400 },
  rootFields: { rootFields: LIMITS.rootFields, fields: 900 },
  fields: { fields: LIMITS.fields, depth: 9, rootFields: 12, fragments: 0.5 },
  aliases: { aliases: LIMITS.aliases - LIMITS.rootFields, fields: 300, items: MAX_ITEMS },
  items: { items: MAX_ITEMS, depth: 7 },
  rows: { items: MAX_ITEMS, depth: 5, rootFields: 1, fields: 90 },
  lists: { listLength: LONGEST_LIST, rootFields: 12 },
  variables: { variables: 1, rootFields: 20, listLength: 40 },
  fragments: { fragments: 1, fields: 2_500 },
  directives: { directives: 1, fields: 1_200 },
  refusedPages: { refusedPages: 0.7, depth: 8, items: MAX_ITEMS },
} as const satisfies Record<string, Partial<Size>>;

/** Every edge there is. */
export const ALL_EDGES = Object.keys(EDGES) as readonly Edge[];

/** The sizes of one query at an edge. */
export function drawSize(edge: Edge, chance: Chance): Size {
  return {
    depth: chance.int(4, 9),
    rootFields: chance.int(1, 5),
    fields: chance.int(20, 300),
    aliases: chance.int(0, 15),
    items: chance.pick([50, 500, 5_000]),
    listLength: chance.int(0, 4),
    variables: chance.between(0, 0.5),
    fragments: chance.between(0, 0.3),
    directives: chance.between(0, 0.1),
    refusedPages: 0,
    ...EDGES[edge],
  };
}
