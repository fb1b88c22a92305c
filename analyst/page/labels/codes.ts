import labels from './labels.json' with { type: 'json' };

/** A code with its name in each language. */
export interface NamedCode {
  readonly code: string;
  readonly fr: string;
  readonly en: string;
}

/** Domains of missions (volunteering 7.1) with their names; the vocabulary is open, so any other word can be typed. */
export const DOMAINS: readonly NamedCode[] = labels.domain;

/** European levels of diplomas, as EuropeanLevel in the graph, with what they are called. */
export const LEVELS: readonly NamedCode[] = labels.level;
