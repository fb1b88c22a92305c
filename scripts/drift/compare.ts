import type { Filled, Observation } from './observe.js';

/** Something that a service does otherwise than the code relies on. */
export interface Drift {
  readonly kind: 'type or word' | 'gone' | 'response' | 'route';
  /** Fields of the graph, `Type.field`, that may be null or wrong. */
  readonly fields: readonly string[];
  readonly message: string;
}

/** So many objects without a value are no accident. */
const ENOUGH_OBJECTS = 3;
/** What the models fill less often may be missing by chance. */
const USUALLY_FILLED = 0.5;
/** Codes that say something of the response, not of the caller or the day. */
const OF_RESPONSES = new Set(['UPSTREAM_INVALID_RESPONSE', 'UPSTREAM_REFUSED_INPUT', 'INTERNAL']);

/**
 * What a live service does otherwise than all the models of it: `models` are observations of the sandbox, one for each
 * era of the service.
 */
export function compare(live: Observation, models: readonly Observation[]): Drift[] {
  const drifts: Drift[] = [];
  for (const place of live.drifted) {
    const known = models.some(({ drifted }) => drifted.has(place));
    if (!known)
      drifts.push({ kind: 'type or word', fields: [place], message: 'another type, or a word that no document has' });
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
  }
  return drifts;
}

/** A root field is requested once. */
function isGone(place: string, { requested, filled }: Filled): boolean {
  return filled === 0 && (requested >= ENOUGH_OBJECTS || place.startsWith('Query.'));
}

function isUsual(filled: Filled | undefined): boolean {
  return filled !== undefined && filled.filled / filled.requested >= USUALLY_FILLED;
}
