import { type Answer, jsonAnswer } from '../kit/answer.js';
import type { QuotaTaken } from '../kit/quota.js';
import type { ServiceRequest } from '../kit/routes.js';

const WINDOW_MS = 60_000;

/** One call of this key out of the window of this route and method (work-study 4.1). */
export function spendCall(request: ServiceRequest, route: string, perMinute: number): QuotaTaken {
  return request.take(`${request.method} ${route} ${request.key}`, perMinute, WINDOW_MS);
}

/** The answer with the headers of the limiter: `reset` in seconds left (work-study 4.1, seed 8.2). */
export function withRateHeaders(answer: Answer, taken: QuotaTaken): Answer {
  return {
    ...answer,
    headers: {
      ...answer.headers,
      'x-ratelimit-limit': String(taken.limit),
      'x-ratelimit-remaining': String(taken.remaining),
      'x-ratelimit-reset': String(Math.ceil(taken.resetMs / 1000)),
    },
  };
}

/** The refusal of a spent window. Its text tells the time left, not the window's length (work-study 4.1). */
export function rateLimitError(request: ServiceRequest, taken: QuotaTaken): Answer {
  const body = request.era === 'seed' ? seedBody(taken) : todayBody(taken);
  const retryAfter = String(Math.ceil(taken.resetMs / 1000));
  return withRateHeaders(jsonAnswer(429, body, { 'retry-after': retryAfter }), taken);
}

function todayBody({ limit, resetMs }: QuotaTaken) {
  const message = `Quota dépassé : ${limit} requêtes par ${timeLeft(resetMs)}. Voir https://api.apprentissage.beta.gouv.fr/api/documentation pour les limites par endpoint.`;
  const rawError = { statusCode: 429, error: 'Too Many Requests', message };
  return { statusCode: 429, name: 'Too Many Requests', message, data: { rawError } };
}

/** The seed says only that the body is JSON that describes the limit crossed (seed work-study 7.1). */
function seedBody({ limit, resetMs }: QuotaTaken) {
  const message = `Rate limit of ${limit} calls exceeded, retry in ${timeLeft(resetMs)}`;
  return { statusCode: 429, error: 'Too Many Requests', message };
}

/** The limiter's way to write a duration: the largest unit, rounded. */
function timeLeft(ms: number): string {
  if (ms < 1000) return `${ms} ms`;
  const [count, unit] = ms < 60_000 ? [Math.round(ms / 1000), 'second'] : [Math.round(ms / 60_000), 'minute'];
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
