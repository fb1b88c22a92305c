import type { Filled, Observation } from './observe.js';

/** A deviation of a service from what the code relies on. */
export interface Drift {
  readonly kind: 'type or word' | 'codes or words' | 'gone' | 'response' | 'route' | 'schema';
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

const MESSAGES = { form: 'another type, null or nothing', word: 'a word that no document has' } as const;

/**
 * The deviations of a live service from all of its models: `models` are observations of the sandbox, one per era of the
 * service.
 */
export function compare(live: Observation, models: readonly Observation[]): Drift[] {
  const drifts: Drift[] = [];
  const ofSameEra = likest(live, models);
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
    const relevant = filled.holdsObjects ? ofSameEra : models;
    if (isGone(place, filled) && relevant.every(({ fields }) => isUsual(fields.get(place)))) {
      drifts.push({ kind: 'gone', fields: [place], message: `no value in ${filled.requested} of ${filled.requested}` });
    }
    if (isUnreadable(filled) && !models.some(({ fields }) => isUnreadable(fields.get(place)))) {
      const message = `malformed codes or unknown words in ${filled.unreadable} of ${filled.filled}`;
      drifts.push({ kind: 'codes or words', fields: [place], message });
    }
  }
  return drifts;
}

/** What a response has only once: one empty value is enough. */
const ONCE = /^Query\.|Connection\.totalCount$/;

function isGone(place: string, { requested, filled }: Filled): boolean {
  return filled === 0 && (requested >= ENOUGH_OBJECTS || ONCE.test(place));
}

/** A model is the live service's era if others contradict it this many times as often. */
const CLEARLY = 3;

/**
 * The model of the live service's era: by it a whole part, such as `addresses`, is missed that other eras do not have.
 * All models if the service is between them.
 */
function likest(live: Observation, models: readonly Observation[]): readonly Observation[] {
  const ranked = models
    .map((model) => ({ model, contradictions: contradictionsOf(live, model) }))
    .sort((one, other) => one.contradictions - other.contradictions);
  const [first, second] = ranked;
  const isClear = first !== undefined && (second?.contradictions ?? 0) > CLEARLY * first.contradictions;
  return isClear ? [first.model] : models;
}

/** Fields that only one of the two has a value in, where the other was asked often enough. */
function contradictionsOf(live: Observation, model: Observation): number {
  let count = 0;
  for (const [place, seen] of live.fields) {
    const known = model.fields.get(place);
    if (known === undefined) continue;
    if (isGone(place, seen) ? isUsual(known) : isUsual(seen) && isGone(place, known)) count += 1;
  }
  return count;
}

/** Words that a published schema has and its service does not send, with the reason. */
const NEVER_SENT = new Set([
  // `PENDING` and `ONGOING` are words of moderators, whose missions are not accepted yet (volunteering 7.4).
  'Mission.statusCode',
]);

/**
 * What the published schemas allow and the code does not expect: another type, null, a property left out, a word. About
 * codes they say too little, so a list that is refused as a whole for lack of any (`Commune[]`) is no difference.
 */
export function comparePublished(published: Observation, models: readonly Observation[]): Drift[] {
  return compare(published, models).flatMap(({ kind, fields: [place = ''], message }): Drift[] => {
    const isKnown = !place.includes('.') || (message === MESSAGES.word && NEVER_SENT.has(place));
    if (kind !== 'type or word' || isKnown) return [];
    return [{ kind: 'schema', fields: [place], message: `the published OpenAPI allows ${message}` }];
  });
}

function isUnreadable(field: Filled | undefined): boolean {
  return field !== undefined && field.unreadable >= ENOUGH_OBJECTS && field.unreadable / field.filled > MOSTLY;
}

function isUsual(filled: Filled | undefined): boolean {
  return filled !== undefined && filled.filled / filled.requested >= USUALLY_FILLED;
}
