import type { GraphQLFormattedError } from 'graphql';
import { z } from 'zod';
import { LONGEST_FRESH_MS } from '../../kernel/bounds.js';
import { readDate } from '../../kernel/dates.js';
import { SERVICES } from '../../kernel/services.js';
import { isRecord } from '../../kernel/text.js';
import type { StoredData, UpstreamCall } from '../../kernel/trace.js';
import { createErrorList, createOmissions, INTERNAL_MESSAGE } from '../../runtime/errors.js';
import type { SubgraphResponse } from '../../runtime/subgraph-execution.js';
import { LIMITS } from '../limits/document-rules.js';

/** What a subgraph in another process answered. */
export interface SubgraphAnswer {
  readonly response: SubgraphResponse;
  /** Recorded calls, with times relative to the start of the operation. */
  readonly calls: readonly UpstreamCall[];
  /** What was read without a call. */
  readonly stored: readonly StoredData[];
  /** Whether it may be cached while all of its calls are fresh; never if it does not list them all. */
  readonly isCacheable: boolean;
}

/** Undefined if it is missing or malformed, as from another version of the program. */
export function optional<T extends z.ZodType>(type: T) {
  return type.optional().catch(undefined);
}

/** The items that are of a type; none of what is no list. */
export function listOf<T extends z.ZodType>(type: T) {
  const readItem = (item: unknown) => {
    const { success, data } = type.safeParse(item);
    return success ? [data] : [];
  };
  return z
    .array(z.unknown())
    .catch([])
    .transform((items) => items.flatMap(readItem));
}

const PATH = z.array(z.union([z.string(), z.number()]));

/** Only what callers may see: message, path, and the documented extensions. */
const ERROR = z
  .object({
    message: z.string().catch(INTERNAL_MESSAGE),
    path: optional(PATH),
    extensions: z
      .object({
        code: optional(z.string()),
        service: optional(z.string()),
        retryAfterSeconds: optional(z.number()),
        argument: optional(PATH),
      })
      .catch({}),
  })
  .catch({ message: INTERNAL_MESSAGE, extensions: {} }) as z.ZodType<unknown> as z.ZodType<GraphQLFormattedError>;

/** What totals, limits and headers are made of; the rest of a call is for the trace. */
const CALL = z.looseObject({
  service: z.enum(SERVICES),
  method: z.string(),
  path: z.string(),
  planNode: z.string().catch(''),
  status: z.number().nullable(),
  startMs: z.number(),
  ms: z.number(),
  bytes: z.number(),
  entities: z.number(),
  retries: z.number(),
  cache: z.enum(['HIT', 'STALE', 'MISS', 'COALESCED', 'BYPASS']),
  freshMs: z.number().max(LONGEST_FRESH_MS).optional(),
  sent: z.number().optional(),
  queuedMs: z.number().optional(),
  weight: z.number().optional(),
  stale: z
    .object({
      reason: z.enum(['REVALIDATING', 'SLOW', 'OUTAGE', 'QUOTA']),
      ageSeconds: z.number(),
      staleSeconds: z.number(),
    })
    .optional(),
});

const STORED = z.object({
  service: z.enum(SERVICES),
  asOf: z.string().refine((text) => readDate(text) !== null),
});

const ANSWER = z.object({
  data: z.custom<Record<string, unknown>>(isRecord).nullish(),
  errors: z.array(ERROR).nullish(),
  extensions: z.preprocess(
    (value) => (isRecord(value) ? value : {}),
    z.object({
      passerelleCalls: optional(z.array(z.unknown())),
      passerelleStored: listOf(STORED),
      passerelleUncacheable: z.unknown().optional(),
      errorsOmitted: z.int().positive().catch(0),
      passerelleOmittedPlaces: listOf(z.array(z.string())),
    }),
  ),
});

const CALLS = listOf(CALL);

/** Checks the JSON body of a subgraph's answer; null if it is not a GraphQL response. */
export function readAnswer(json: unknown): SubgraphAnswer | null {
  const { data: answer } = ANSWER.safeParse(json);
  if (answer === undefined) return null;
  const { data, extensions } = answer;
  const errors = answer.errors ?? [];
  // Next to data, some servers list errors even if there are none.
  if (errors.length === 0 && (data === undefined || (data === null && answer.errors !== undefined))) return null;
  const { passerelleCalls: rows, passerelleStored, passerelleUncacheable, errorsOmitted } = extensions;
  const calls = CALLS.parse(rows) as readonly UpstreamCall[];
  return {
    response: { data, ...listErrors(errors, errorsOmitted, extensions.passerelleOmittedPlaces) },
    calls,
    stored: passerelleStored,
    isCacheable: calls.length === rows?.length && passerelleUncacheable === undefined,
  };
}

/** The errors that a response lists, and the others, with those that the subgraph itself omitted. */
function listErrors(
  errors: readonly GraphQLFormattedError[],
  count: number,
  places: readonly (readonly string[])[],
): Pick<SubgraphResponse, 'errors' | 'omitted'> {
  if (errors.length === 0) return {};
  const omissions = createOmissions();
  const list = createErrorList<GraphQLFormattedError>(omissions);
  if (count > 0) omissions.include({ count, places: places.slice(0, LIMITS.fields) });
  for (const error of errors) list.add(error.path, () => error);
  return { errors: list.errors, omitted: omissions.read() };
}
