import { createStore } from '../store/store.js';

/** The languages of the page. */
export const LANGUAGES = ['en', 'fr'] as const;
/** One of the languages. */
export type Language = (typeof LANGUAGES)[number];

/** The language of the page. */
export const language = createStore<Language>('en');
