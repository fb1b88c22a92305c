import type { Filled, Observation } from './observe.js';

/** A deviation of a service from what the code relies on. */
export interface Drift {
  readonly kind: 'type or word' | 'codes or words' | 'gone' | 'response' | 'route';
  /** Fields of the graph, `Type.field`, that may be null or wrong. */
  readonly fields: readonly string[];
  readonly message: string;
}

/** This many objects without a value are no coincidence. */
const ENOUGH_OBJECTS = 3;
/** A field that the models fill less often may be missing by chance. */
const USUALLY_FILLED = 0.5;
/** A few codes are always malformed; beyond this share, their form or the words have changed. */
const MOSTLY = 0.5;
/** Error codes that depend on the response, not on the caller or the day. */
const OF_RESPONSES = new Set(['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_REFUSED_INPUT', 'INTERNAL']);

const MESSAGES = { form: 'another type', word: 'a word that no document has' } as const;

/**
 * The deviations of a live service from all of its models: `models` are observations of the sandbox, one per era of the
 * service.
 */
export function compare(live: Observation, models: readonly Observation[]): Drift[] {
  const drifts: Drift[] = [];
  for (const kind of ['form', 'word'] as const) {
    for (const place of live.drifted[kind]) {
      const known = models.some(({ drifted }) => drifted[kind].has(place));
      if (!known) drifts.push({ kind: 'type or word', fields: [place], message: MESSAGES[kind] });
    }
  }
  for (const [field, codes] of live.errors) {
    for (const code of codes) {
      if (!OF_RESPONSES.has(code) || models.some(({ errors }) => errors.get(field)?.has(code))) continue;
      drifts.push({ kind: 'response', fields: [`Query.${field}`], message: `responses that end as ${code}` });
    }
  }
  for (const [place, filled] of live.fields) {
    if (drifts.some(({ fields }) => fields.includes(place))) continue;
    if (isGone(place, filled) && models.every(({ fields }) => isUsual(fields.get(place)))) {
      drifts.push({ kind: 'gone', fields: [place], message: `no value in ${filled.requested} of ${filled.requested}` });
    }
    if (isUnreadable(filled) && !models.some(({ fields }) => isUnreadable(fields.get(place)))) {
      const message = `malformed codes or unknown words in ${filled.unreadable} of ${filled.filled}`;
      drifts.push({ kind: 'codes or words', fields: [place], message });
    }
  }
  return drifts;
}

/** A root field is requested only once, so one empty value is enough. */
function isGone(place: string, { requested, filled }: Filled): boolean {
  return filled === 0 && (requested >= ENOUGH_OBJECTS || place.startsWith('Query.'));
}

function isUnreadable(field: Filled | undefined): boolean {
  return field !== undefined && field.unreadable >= ENOUGH_OBJECTS && field.unreadable / field.filled > MOSTLY;
}

function isUsual(filled: Filled | undefined): boolean {
  return filled !== undefined && filled.filled / filled.requested >= USUALLY_FILLED;
}
