import { copyText } from '../elements/files.js';
import { defineTexts, textsNow } from '../state/language.js';
import { sharedMemory } from '../state/page-state.js';
import type { TabMemory } from '../state/tab-memory.js';
import { useActiveQuery } from './editors.js';
import { shareFragment } from './sharing.js';

/** Texts of the link to a query. */
export const SHARE_TEXTS = defineTexts({
  en: {
    copyLink: 'Copy a link to this query',
    linkCopied: 'Link copied: query and variables, no keys.',
  },
  fr: {
    copyLink: 'Copier un lien vers cette requête',
    linkCopied: 'Lien copié : requête et variables, sans clés.',
  },
});

/**
 * A function that copies a link to the current query, with its variables and the choices made for its rows, or others,
 * without keys.
 */
export function useShareLink(): (other?: Partial<TabMemory>) => Promise<void> {
  const readQuery = useActiveQuery();
  return (other) => {
    const { origin, pathname } = window.location;
    const address = `${origin}${pathname}${shareFragment({ ...readQuery(), memory: sharedMemory(other) })}`;
    return copyText(address, () => textsNow(SHARE_TEXTS).linkCopied);
  };
}
