import type { GatewayError } from '../../shared/errors.js';
import { errorsAt } from '../../shared/errors.js';
import { OrganizationsDocument, type OrganizationsQuery } from './__generated__/graphql.js';
import { send } from './gateway.js';
import { showList } from './list.js';
import type { Point } from './map.js';

/** Shows the organizations with a name, page by page; `changed` gets the points of all pages so far. */
export async function showOrganizations(q: string, changed: (points: readonly Point[]) => void): Promise<void> {
  const rows = new Map<string, string>();
  const points: Point[] = [];

  async function showPage(after: string | null): Promise<void> {
    const { data, errors } = await send(OrganizationsDocument, { q, after });
    const page = data?.organizations ?? null;
    add(page, rows, points);
    show(page, after, errorsAt(errors, 'organizations'));
    changed(points);
  }

  function show(page: Page | null, after: string | null, errors: readonly GatewayError[]): void {
    const { endCursor = null, hasNextPage = false } = page?.pageInfo ?? {};
    // After a failure the button requests the same page again.
    const next = page === null ? after : endCursor;
    const more = page === null || hasNextPage ? () => showPage(next) : null;
    const total = page?.totalCount ?? null;
    const count = page === null && rows.size === 0 ? 'Unknown' : `${rows.size}${total === null ? '' : ` of ${total}`}`;
    const summary = `${count} organizations`;
    showList('Organizations', { summary, rows, errors, more });
  }

  await showPage(null);
}

type Page = NonNullable<OrganizationsQuery['organizations']>;

function add(page: Page | null, rows: Map<string, string>, points: Point[]): void {
  for (const node of page?.nodes ?? []) {
    if (node === null || rows.has(node.id)) continue;
    const label = node.title ?? 'Organization';
    rows.set(node.id, `${label} (${node.addressCity ?? 'place unknown'})`);
    // The register has no positions: the centre of its commune stands for an organization.
    const [lon, lat] = node.commune?.localisation?.centre?.coordinates ?? [];
    if (lon !== undefined && lat !== undefined) points.push({ kind: 'organization', label, lon, lat });
  }
}
