import { type RowChoice, writeRowChoice } from '../../../rows/row-choice.js';
import { MOST_VALUES, writeFragment } from '../../questions/address.js';
import { copyText } from '../elements/files.js';
import { editors } from '../state/code.js';
import { defineTexts, textsNow } from '../state/language.js';
import { page } from '../state/page-state.js';
import type { QueryResult } from '../state/query-result.js';
import { shareFragment } from '../state/sharing.js';
import { NEW_TAB, packMemory, UNTOUCHED, type View } from '../state/tab-memory.js';

/** Texts of the link to a result. */
export const SHARE_TEXTS = defineTexts({
  en: {
    copyLink: 'Copy a link to this page',
    linkCopied: 'Link copied: what was asked, no keys.',
    withoutList: (count: number) => `Link copied, without the list of ${count}: it is too long for a link.`,
  },
  fr: {
    copyLink: 'Copier un lien vers cette page',
    linkCopied: 'Lien copié : ce qui est demandé, sans clés.',
    withoutList: (count) => `Lien copié, sans la liste de ${count} : elle est trop longue pour un lien.`,
  },
});

/** Another view of a list than the one in front. */
interface Shared {
  readonly path: string;
  readonly view: View;
  readonly choice: RowChoice;
}

/** Copies a link to the question or query of a result with the view in front, or another one; never with keys. */
export function copyShareLink({ asked, request }: QueryResult, other?: Shared): Promise<void> {
  const { tab, memories } = page.get();
  const memory = memories[tab] ?? NEW_TAB;
  const lists = other && { [other.path]: { ...(memory.lists[other.path] ?? UNTOUCHED), choice: other.choice } };
  const next = other ? { ...memory, view: other.view, list: other.path, lists: { ...memory.lists, ...lists } } : memory;
  const choice = next.lists[next.list ?? '']?.choice ?? UNTOUCHED.choice;
  const view = new URLSearchParams([['view', next.view], ...writeRowChoice(choice)]);
  const text = editors.get()?.read() ?? { query: request.query, variables: '' };
  const fragment = asked
    ? `#${writeFragment(asked.question, view)}`
    : shareFragment({ ...text, memory: packMemory(next) });
  const { origin, pathname } = window.location;
  const long = Object.values(asked?.question.criteria ?? {}).find((values) => values.length > MOST_VALUES);
  return copyText(`${origin}${pathname}${fragment}`, () => {
    const texts = textsNow(SHARE_TEXTS);
    return long === undefined ? texts.linkCopied : texts.withoutList(long.length);
  });
}
