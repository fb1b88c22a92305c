import { vi } from 'vitest';
import type { Known } from '../../analyst/questions/compose.js';
import type { Question } from '../../analyst/questions/question.js';
import type { Finders } from '../../analyst/questions/words.js';

/** What the page knows and finds: see analyst/page/ask/known. */
interface Knowledge {
  findersNow(): Promise<Finders>;
  learnFor(question: Question): Promise<void>;
  knownNow(): Known;
}

/** By a name that types do not follow: the page is compiled with the types of browsers, these tests without. */
const KNOWN: string = '../../analyst/page/ask/known.js';

/** The page's knowledge, asked of a gateway at an address instead of the page's own origin. */
export async function pageKnowledge(url: string): Promise<Knowledge> {
  vi.stubGlobal('window', {
    fetch: (path: string, { credentials: _, ...init }: RequestInit) => fetch(`${url}${path}`, init),
    localStorage: { getItem: () => null, setItem: () => {} },
    location: { hash: '', search: '' },
    addEventListener: () => {},
  });
  return import(KNOWN);
}
