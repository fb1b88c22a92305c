import { perWorld } from '../../world/per-world.js';
import type { World } from '../../world/types.js';
import { listAt, textAt } from '../values/fields.js';

/** Secretarial work, for a title that resembles none of the world's. */
const FALLBACK = ['M1602'];

/** Deduces ROME codes from a title: those of the world's offer whose title shares the most words with it. */
export function createTitleReader(world: World): (title: string) => readonly string[] {
  return (title) => {
    const titleWords = wordsOf(title);
    let best = { shared: 0, codes: FALLBACK as readonly string[] };
    for (const { words, codes } of titlesOf(world)) {
      const shared = [...titleWords].filter((word) => words.has(word)).length;
      if (shared > best.shared && codes.length > 0) best = { shared, codes };
    }
    return best.codes;
  };
}

const titlesOf = perWorld(({ offers }) =>
  offers.map((offer) => ({
    words: wordsOf(textAt(offer, 'offer', 'title') ?? ''),
    codes: listAt(offer, 'offer', 'rome_codes').filter((code) => typeof code === 'string'),
  })),
);

function wordsOf(title: string): Set<string> {
  const words = title
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .split(/[^a-z]+/);
  return new Set(words.filter((word) => word.length > 3));
}
