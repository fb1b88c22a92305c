import { type Condition, EVERYTHING, writeRowChoice } from '../../../rows/row-choice.js';
import { type Linked, readFragment, writeFragment } from '../../questions/address.js';
import { type Composed, type Composition, compose } from '../../questions/compose.js';
import { type Question, subjectOf } from '../../questions/question.js';
import type { Reading } from '../../questions/words.js';
import { fetchPrice } from '../request/price.js';
import { describeFailure, sendQuery } from '../request/send-query.js';
import { addEntry } from '../state/history.js';
import { changePage, notify, page, remember, resultOf, setResult, setRunning } from '../state/page-state.js';
import { createStore } from '../state/store.js';
import { readChoice, UNTOUCHED, VIEWS, type View } from '../state/tab-memory.js';
import { describeQuestion } from './describe.js';
import { knownNow, learnFor } from './known.js';

/*
 * The question of the page. `asked` is what the address says and the answer below is of; `draft` is what the form has
 * now, and becomes the next question when it is run. The answer of a question is kept under its own name, so that going
 * back shows it again without a request.
 */

/** What the page is asked. */
export interface Asking {
  readonly draft: Question;
  readonly asked: Question | null;
  /** What a sentence left over. */
  readonly unknown: readonly string[];
  readonly choices: Reading['choices'];
  /** Criteria whose lists were too long for the link that was opened. */
  readonly without: readonly string[];
}

/** No question. */
const NO_QUESTION: Question = { subject: '', form: 'list', by: [], criteria: {} };

const NOTHING_LEFT = { unknown: [], choices: [], without: [] } as const;

/** The question of the page. */
export const asking = createStore<Asking>({ draft: NO_QUESTION, asked: null, ...NOTHING_LEFT });

/** Changes the draft; words that were not understood stay until they are settled. */
export function changeDraft(draft: Question, settled: Partial<Asking> = {}): void {
  asking.set({ ...asking.get(), draft, ...settled });
  void learnFor(draft);
}

/** The name under which the answer of a question is kept. */
export function tabOf(question: Question): string {
  return `ask ${JSON.stringify(question)}`;
}

/** A question as GraphQL, with what is known now. */
export function composeNow(question: Question): Composition {
  return compose(question, knownNow());
}

/** Asks a question: shows its answer, which is requested unless it is there; the address follows. */
export async function askQuestion(question: Question): Promise<void> {
  asking.set({ draft: question, asked: question, ...NOTHING_LEFT });
  const address = `#${writeFragment(question)}`;
  if (window.location.hash !== address) window.history.pushState(null, '', address);
  const composed = await showQuestion(question);
  if (composed !== null && resultOf(tabOf(question)) === undefined) await runQuestion(question, composed);
}

/**
 * Puts a question in front, with the view that a link says or the one that it had. Returns it as GraphQL; null if that
 * is not possible, or another question is in front by then.
 */
async function showQuestion(question: Question, view = new URLSearchParams()): Promise<Composed | null> {
  const tab = tabOf(question);
  changePage({ tab });
  await learnFor(question);
  const { composed } = composeNow(question);
  if (composed === null || page.get().tab !== tab) return null;
  if (view.size > 0) remember(linkedMemory({ question, view }, composed), tab);
  else if (page.get().memories[tab] === undefined) remember(firstMemory(question, composed), tab);
  return composed;
}

function firstMemory({ form, subject }: Question, { path, columns }: Composed) {
  const view: View =
    form === 'map' || subjectOf(subject)?.view === 'Map' ? 'Map' : form === 'count' ? 'Counts' : 'Table';
  const counting = columns === null || columns.length === 0 ? null : { by: columns, of: '', show: 'rows' as const };
  return { view, list: path, lists: { [path]: { ...UNTOUCHED, counting } } };
}

let stop = new AbortController();

/** Requests the answer of a question again, or for the first time. */
export async function runQuestion(question: Question, composed: Composed, isAnonymous = false): Promise<void> {
  const { query, variables, operationName } = composed;
  const tab = tabOf(question);
  stop.abort();
  stop = new AbortController();
  const { signal } = stop;
  setRunning(tab, true);
  try {
    const result = await sendQuery({ query, variables, operationName }, { signal, isAnonymous });
    setResult(tab, { ...result, asked: { question, where: conditionsOf(composed) } });
    addEntry(describeQuestion(question), `#${writeFragment(question)}`);
  } catch (error) {
    if (!signal.aborted) notify(() => describeFailure(error), tab);
  } finally {
    setRunning(tab, false);
  }
}

/** Ends the request that is on its way. */
export function stopQuestion(): void {
  stop.abort();
}

function conditionsOf({ where }: Composed): Condition[] {
  return where.map(([column, operator, value]) => ({ column, operator, value }) as Condition);
}

/** Calls that a link may cost and yet run by itself. */
const MOST_CALLS = 5;

/** Shows the question of the address: with the answer if there is one, or if it costs little. */
export async function followAddress(): Promise<void> {
  const linked = readFragment(window.location.hash);
  const question = linked?.question ?? NO_QUESTION;
  const isAsked = question.subject !== '';
  asking.set({ draft: question, asked: isAsked ? question : null, ...NOTHING_LEFT, without: linked?.without ?? [] });
  if (linked === null || !isAsked) return changePage({ tab: '' });
  const composed = await showQuestion(question, linked.view);
  if (composed === null || linked.without.length > 0 || resultOf(tabOf(question)) !== undefined) return;
  const isCheap = await costsLittle(composed);
  const tab = tabOf(question);
  // Whoever ran it meanwhile has their answer.
  if (isCheap && page.get().tab === tab && resultOf(tab) === undefined) await runQuestion(question, composed, true);
}

async function costsLittle({ query, variables, operationName }: Composed): Promise<boolean> {
  const price = await fetchPrice({ query, variables, operationName }, {}, new AbortController().signal).catch(
    () => null,
  );
  return price !== null && price.total <= MOST_CALLS && !price.waitsForLogin;
}

function linkedMemory({ question, view }: Pick<Linked, 'question' | 'view'>, composed: Composed) {
  const first = firstMemory(question, composed);
  const choice = readChoice(view);
  const lists = { [composed.path]: { ...(first.lists[composed.path] ?? UNTOUCHED), choice } };
  return { ...first, lists, view: VIEWS.find((name) => name === view.get('view')) ?? first.view };
}

/** Keeps the address in step with the view and the rows that are chosen; returns what ends that. */
export function followChoices(): () => void {
  return page.watch(() => {
    const { asked } = asking.get();
    const { tab, memories } = page.get();
    if (asked === null || tab !== tabOf(asked)) return;
    const address = `#${writeFragment(asked, viewOf(asked))}`;
    if (memories[tab] !== undefined && window.location.hash !== address) window.history.replaceState(null, '', address);
  });
}

/** What an address says of the view of a question, beside the question. */
function viewOf(question: Question): URLSearchParams {
  const { view, list, lists } = page.get().memories[tabOf(question)] ?? { view: 'Table', list: null, lists: {} };
  const { composed } = composeNow(question);
  const usual = composed === null ? 'Table' : firstMemory(question, composed).view;
  return new URLSearchParams([
    ...(view === usual ? [] : [['view', view]]),
    ...writeRowChoice(lists[list ?? '']?.choice ?? EVERYTHING),
  ]);
}

/** Whether the form has another question than the one that is answered below. */
export function isChanged({ draft, asked }: Asking): boolean {
  return asked !== null && JSON.stringify(draft) !== JSON.stringify(asked);
}
