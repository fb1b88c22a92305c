import type { Example } from '../../read-example.js';
import { textsNow } from '../state/language.js';
import french from './french.json' with { type: 'json' };

/**
 * The texts of GraphiQL 5.4 and its plugins in French, since they have no hook for other languages. Names of GraphQL
 * itself, such as Query, stay.
 */
export const GRAPHIQL_TEXTS: Readonly<Record<string, string>> = french.texts;

/** GraphiQL's own commands in the editor's menu. */
export const EDITOR_COMMANDS: Readonly<Record<string, string>> = french.commands;

/** Texts that contain a name or keys: the parts before and after those. */
export const GRAPHIQL_FRAMES = Object.entries(french.frames).map(
  (frame) => [frameOf(frame[0]), frameOf(frame[1])] as const,
);

function frameOf(text: string): readonly [before: string, after: string] {
  const [before = '', after = ''] = text.split('{}');
  return [before, after];
}

/** Attributes that people read or hear. */
const ATTRIBUTES = ['aria-label', 'title', 'placeholder'];

/** Parts with texts of users, of the schema, or of this page's own components. */
const OTHERS = [
  ...['.monaco-editor', '.pa-pane', '.pa-panel', '.pa-dialog', '.pa-top', '.graphiql-history-item-label'],
  ...['.graphiql-doc-explorer-type-name', '.graphiql-doc-explorer-field-name', '.graphiql-doc-explorer-argument-name'],
  ...['.graphiql-doc-explorer-search-type', '.graphiql-doc-explorer-search-field'],
].join();

/** Tabs are named after their operations. Only the name of an untitled tab has a bracket. */
const NAMED_BY_USERS = '.graphiql-tab-button';

/** The translation of a text, which may be the name of a tab; undefined if unknown. */
type Translate = (text: string, isTab?: boolean) => string | undefined;

/**
 * Keeps GraphiQL's own texts French until it is stopped, which restores the English ones. Only the values of texts and
 * attributes change, no nodes: React is not disturbed, and what it writes later is translated then. Tabs have the French
 * titles of the examples that their operations are.
 */
export function translateGraphiql(examples: readonly Example[]): () => void {
  const titles = examples.map(({ query, title }) => [/^query (\w+)/.exec(query)?.[1] ?? '', textsNow(title)] as const);
  const texts = Object.entries(GRAPHIQL_TEXTS);
  const toFrench = translator(texts, GRAPHIQL_FRAMES, titles);
  const toEnglish = translator(flipped(texts), flipped(GRAPHIQL_FRAMES), flipped(titles));
  translateBelow(document.body, toFrench);
  const observer = new MutationObserver((records) => {
    for (const { target, addedNodes } of records) {
      if (elementOf(target)?.closest(OTHERS)) continue;
      translateNode(target, toFrench);
      for (const node of addedNodes) translateBelow(node, toFrench);
    }
  });
  const what = { childList: true, characterData: true, attributes: true, attributeFilter: ATTRIBUTES, subtree: true };
  observer.observe(document.body, what);
  return () => {
    observer.disconnect();
    translateBelow(document.body, toEnglish);
  };
}

function flipped<T>(pairs: readonly (readonly [one: T, other: T])[]) {
  return pairs.map(([one, other]) => [other, one] as const);
}

function translator(
  texts: readonly (readonly [from: string, to: string])[],
  frames: readonly (readonly [from: readonly [string, string], to: readonly [string, string]])[],
  tabs: readonly (readonly [from: string, to: string])[],
): Translate {
  const known = new Map(texts);
  const ofTabs = new Map(tabs);
  return (text, isTab = false) => {
    if (isTab && !text.startsWith('<')) return ofTabs.get(text);
    const exact = known.get(text);
    if (exact !== undefined) return exact;
    const frame = frames.find(([[before, after]]) => text.startsWith(before) && text.endsWith(after));
    if (frame === undefined) return undefined;
    const [from, to] = frame;
    const inside = text.slice(from[0].length, text.length - from[1].length);
    return `${to[0]}${known.get(inside) ?? inside}${to[1]}`;
  };
}

function translateBelow(node: Node, translate: Translate): void {
  if (elementOf(node)?.closest(OTHERS)) return;
  const walker = document.createTreeWalker(node, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, (found) =>
    found instanceof Element && found.matches(OTHERS) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT,
  );
  for (let found: Node | null = node; found !== null; found = walker.nextNode()) translateNode(found, translate);
}

function translateNode(node: Node, translate: Translate): void {
  if (node instanceof Element) {
    for (const name of ATTRIBUTES) {
      const translated = translate(node.getAttribute(name) ?? '');
      if (translated !== undefined) node.setAttribute(name, translated);
    }
  } else if (node instanceof Text) {
    // In a description, a word such as `or` has spaces around it, and so is left alone.
    const translated = translate(node.data, node.parentElement?.closest(NAMED_BY_USERS) != null);
    if (translated !== undefined) node.data = translated;
  }
}

function elementOf(node: Node): Element | null {
  return node instanceof Element ? node : node.parentElement;
}
