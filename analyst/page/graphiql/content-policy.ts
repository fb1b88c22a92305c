import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker';
import JsonWorker from 'monaco-editor/esm/vs/language/json/json.worker.js?worker';
import GraphqlWorker from 'monaco-graphql/esm/graphql.worker.js?worker';
import { ownValue } from '../../../kernel/text.js';

/**
 * Lets libraries style the page under `style-src 'self'`. Instead of a `<style>`, which the browser would block and
 * report in the console, a script that creates one gets a `<template>`, whose text is copied to a constructed sheet,
 * which the policy does not cover.
 */
export function adoptStyles(): void {
  const sheets = new Map<Element, CSSStyleSheet>();
  const adopt = (style: Element): void => {
    const sheet = sheets.get(style) ?? new CSSStyleSheet();
    sheet.replaceSync(style.textContent ?? '');
    if (sheets.has(style)) return;
    sheets.set(style, sheet);
    document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
  };
  const observer = new MutationObserver((records) => {
    const changed = new Set<Element>();
    for (const { target, addedNodes } of records) {
      for (const node of [...addedNodes, target, target.parentNode]) {
        if (node instanceof HTMLTemplateElement) changed.add(node);
      }
    }
    for (const style of changed) adopt(style);
  });
  observer.observe(document.head, { childList: true, subtree: true, characterData: true });
  const create = document.createElement.bind(document);
  document.createElement = (name: string, options?: ElementCreationOptions): HTMLElement =>
    create(name.toLowerCase() === 'style' ? 'template' : name, options);
}

const WORKERS: Readonly<Record<string, new () => Worker>> = { json: JsonWorker, graphql: GraphqlWorker };

/** Configures the editor's workers as files of our own origin (the library's own set-up also writes to the console). */
export function setUpWorkers(): void {
  window.MonacoEnvironment = {
    getWorker: (_id: string, label: string) => new (ownValue(WORKERS, label) ?? EditorWorker)(),
  };
}
