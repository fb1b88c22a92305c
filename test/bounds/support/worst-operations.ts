import { queryBody } from './send.js';

const TEXTS = 'id title description descriptionHtml organizationDescription applicationUrl address city departmentName';

/** The most that a caller may request, each limited in another way: rows, texts, joins of rows, errors of rows. */
export const WORST_OPERATIONS: readonly string[] = [
  queryBody(
    `{ missions(first: 4160) { nodes { ${TEXTS} tasks tags addresses { city postalCode location { lon lat } } } } }`,
  ),
  queryBody(`{ ${many(6, (at) => `m${at}: missions(first: 500) { nodes { ${TEXTS} communeMatch { method } } }`)} }`),
  queryBody(`{ missions(first: 200) { nodes { ${many(90, (at) => `a${at}: descriptionHtml`)} } } }`),
  queryBody('{ missions(first: 2000) { nodes { id communeMatch { method candidates { nom insee } } } } }'),
];

/**
 * New documents, each as expensive to plan as the limits allow. The caller replaces `FRESH` by another word each time,
 * so that no subgraph knows its part of them either.
 */
export const FRESH_DOCUMENTS: readonly string[] = [
  queryBody(
    `query FRESH { ${many(12, (at) => `m${at}: missions(first: 1) { nodes { title organization { title } commune { FRESH${at}: nom } } }`)} }`,
  ),
];

function many(count: number, write: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => write(at)).join(' ');
}
