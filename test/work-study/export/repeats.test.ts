import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { runs } from '../../runs.js';
import { operationFor } from '../../subgraph-harness.js';
import {
  DIFFERENT,
  identified,
  type Labelled,
  pairOf,
  repeatedOffers,
  SAME,
  SILENT,
} from '../support/repeated-offers.js';
import { type Args, openExport } from '../support/siret-directories.js';

/** Each pair has another title. */
const TITLES = runs(1);

/** Numbers from 0 to below 1, the same in every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

/** The offer with an identifier and a partner of its own. */
const relabelled = (one: Labelled, place: number): Labelled => ({
  ...one,
  offer: identified({ ...one.offer, identifier: { partner_label: `Partenaire ${place}` } }, place),
});

describe('Repeated offers', () => {
  let asked: Awaited<ReturnType<typeof openExport>>;
  const list = (args: Args) => asked.offers(args);

  async function indexed(offers: readonly Labelled[]): Promise<void> {
    const opened = await openExport(offers.map(({ offer }) => offer));
    onTestFinished(() => opened.directory.close());
    asked = opened;
  }

  /** All groups of a walk by cursors, as the identifiers of their offers, that of the row first. */
  async function walk(args: Args, first = 7): Promise<{ ids: string[]; reason: readonly string[] | null }[]> {
    const groups = [];
    for (let after: string | null = null; ; ) {
      const page = await list({ duplicates: 'GROUP', ...args, first, after });
      groups.push(
        ...page.edges.map(({ node, sameAs, reason }) => ({
          ids: [node, ...(sameAs ?? [])].map(({ identifier }) => String(identifier?.offerId)),
          reason,
        })),
      );
      if (!page.pageInfo.hasNextPage) return groups;
      after = page.pageInfo.endCursor();
    }
  }

  it.each(Object.keys(SAME))('are one row %s', async (kind) => {
    for (let turn = 0; turn < TITLES; turn++) {
      await indexed(pairOf(turn, kind, createRandom(turn)));
      expect(
        (await walk({})).map(({ ids }) => ids.length),
        `title ${turn}`,
      ).toEqual([2]);
    }
  });

  it.each(Object.keys(DIFFERENT))('are not %s', async (kind) => {
    for (let turn = 0; turn < TITLES; turn++) {
      await indexed(pairOf(turn, kind, createRandom(turn)));
      expect(
        (await walk({})).map(({ ids }) => ids.length),
        `title ${turn}`,
      ).toEqual([1, 1]);
    }
  });

  it.each(Object.entries(SILENT))('are left alone where they may be either of two: %s', async (kind, others) => {
    for (const other of others) {
      const [original, copy] = pairOf(3, kind, createRandom(3));
      const [, different] = pairOf(3, other, createRandom(3));
      const offers = [original, copy, different].map((one, place) => relabelled(one as Labelled, place));
      await indexed(offers);
      expect(
        (await walk({})).map(({ ids }) => ids.length),
        other,
      ).toEqual([1, 1, 1]);
    }
  });

  it('are found in descriptions of fifty thousand brackets as fast as in those of letters', async () => {
    const cpuOf = async (character: string) => {
      const pair = pairOf(0, 'as it is', createRandom(1));
      for (const { offer } of pair) offer.offer.description += character.repeat(50_000);
      const before = process.cpuUsage();
      await indexed(pair);
      expect((await walk({})).map(({ ids }) => ids.length)).toEqual([2]);
      return process.cpuUsage(before).user;
    };
    const letters = await cpuOf('x');
    expect(await cpuOf('<')).toBeLessThan(10 * letters);
  });

  it('are groups of at most twenty, however many partners there are, and none of thousands', async () => {
    const [one] = pairOf(0, 'as it is', createRandom(1)) as [Labelled, Labelled];
    await indexed(Array.from({ length: 300 }, (_, place) => relabelled(one, place)));
    const groups = await walk({}, 100);
    expect(Math.max(...groups.map(({ ids }) => ids.length))).toBe(20);
    expect(new Set(groups.flatMap(({ ids }) => ids)).size).toBe(300);
    await indexed(Array.from({ length: 4001 }, (_, place) => relabelled(one, place)));
    expect((await list({ duplicates: 'GROUP', first: 0 })).totalCount).toBe(4001);
  });

  describe('among many', () => {
    const offers = repeatedOffers(400, createRandom(11));
    beforeAll(async () => {
      asked = await openExport(offers.map(({ offer }) => offer));
    });
    afterAll(() => asked.directory.close());

    it('are those of the same post, and no others', async () => {
      const groups = await walk({}, 100);
      const found = new Map(groups.flatMap(({ ids }, group) => ids.map((id) => [id, group])));
      expect(found.size).toBe(offers.length);
      expect(groups.flatMap(({ ids }) => ids)).toHaveLength(offers.length);
      const [wrong, missed]: [string[], string[]] = [[], []];
      for (const [one, { post, kind }] of offers.entries()) {
        for (const [other, { post: otherPost, kind: otherKind }] of offers.slice(0, one).entries()) {
          const isFound = found.get(String(one)) === found.get(String(other));
          if (isFound !== (post === otherPost)) (isFound ? wrong : missed).push(`${kind} / ${otherKind}`);
        }
      }
      expect({ wrong, missed }).toEqual({ wrong: [], missed: [] });
    });

    it.each<Args>([
      {},
      { orderBy: { field: 'TITLE', direction: 'ASC' } },
      { orderBy: { field: 'CREATION', direction: 'ASC' } },
      { orderBy: { field: 'DISTANCE', direction: 'DESC' }, near: { insee: '44109' }, radius: 300 },
      { partner: ['Hellowork', 'Apec', 'Meteojob'] },
      { near: { insee: '44109' }, radius: 300 },
      { text: 'vendeur', orderBy: { field: 'START', direction: 'DESC' } },
    ])('are one row each, the first of those that match: %j', async (args) => {
      const kept: string[] = [];
      for (let after: string | null = null; ; ) {
        const page = await list({ ...args, first: 1000, after });
        kept.push(...page.nodes.map(({ identifier }) => String(identifier?.offerId)));
        after = page.pageInfo.endCursor();
        if (!page.pageInfo.hasNextPage) break;
      }
      const groups = await walk(args);
      const all = await list({ ...args, duplicates: 'GROUP', first: 0 });
      expect(all.totalCount).toBe(groups.length);
      expect(groups.length).toBeLessThan(kept.length);
      const first = new Map<number | undefined, string>();
      for (const id of kept) first.set(postOf(id), first.get(postOf(id)) ?? id);
      expect(groups.map(({ ids }) => ids[0])).toEqual([...first.values()]);
      expect(groups.flatMap(({ ids }) => ids).sort()).toEqual(kept.toSorted());
      const counts = await all.count({ by: ['PARTNER'] }, operationFor({}));
      const shown: Record<string, number> = {};
      for (const { ids } of groups) {
        const label = offers[Number(ids[0])]?.offer.identifier.partner_label;
        shown[label] = (shown[label] ?? 0) + 1;
      }
      expect(counts.total).toBe(groups.length);
      expect(Object.fromEntries(counts.groups.map(({ key: [key], count }) => [key, count]))).toEqual(shown);
      if (args.orderBy) return;
      const counted = await asked.counts({ by: ['PARTNER'], where: { ...args, duplicates: 'GROUP' } });
      expect(counted.groups).toEqual(counts.groups);
    });

    it('are told by what they share', async () => {
      const reasons = (await walk({}, 100)).map(({ ids, reason }) => [ids.length > 1, reason?.join()]);
      expect(new Set(reasons.filter(([isGroup]) => isGroup).map(([, reason]) => reason))).toEqual(
        new Set(
          ['SIRET,WORKPLACE,PLACE', 'WORKPLACE,PLACE', 'SIRET,WORKPLACE', 'WORKPLACE'].map(
            (one) => `${one},TITLE,TEXT`,
          ),
        ),
      );
      expect(reasons.filter(([isGroup]) => !isGroup).every(([, reason]) => reason === '')).toBe(true);
    });

    it('are rows of their own unless asked for', async () => {
      const { totalCount, edges } = await list({ first: 10 });
      expect(totalCount).toBe(offers.length);
      expect(edges.every(({ sameAs, reason }) => sameAs === null && reason === null)).toBe(true);
    });

    const postOf = (id: string) => offers[Number(id)]?.post;
  });
});
