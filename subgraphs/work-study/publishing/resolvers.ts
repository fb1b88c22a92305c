import { CodedError, type CodedErrorDetails, type ErrorCode } from '../../../kernel/errors.js';
import { badUserInput, together } from '../../graph/arguments.js';
import { idOf } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import type { Context } from '../context.js';
import { callOf, ONE_CALL } from '../values/calls.js';
import { checkOfferId } from '../values/words.js';
import { applicationBody, offerBody } from './bodies.js';
import { EXPORT_LINK, requestApplication, requestOffer, requestPublishing, requestUpdate } from './client.js';
import type { WrittenView } from './shapes.js';

const PUBLISHING = callOf('GET /job/v1/offer/{id}/publishing-informations');

/** Writes are checked as far as their rules are documented, then sent once. */
export const publishingResolvers: Resolvers = {
  Query: {
    jobOfferPublishing: {
      price: PUBLISHING,
      resolve: (_root, { id }, context) => publishingOf(id, context),
    },
    jobOfferExport: {
      price: callOf('GET /job/v1/export'),
      resolve: (_root, _args, { upstream, operation }) => upstream.call(EXPORT_LINK, operation),
    },
  },
  JobOfferPayload: {
    offerId: ({ id }) => id,
    publishing: {
      price: PUBLISHING,
      resolve: ({ id }, _args, context) => (id === null ? null : publishingOf(id, context)),
    },
  },
  JobOfferPublishing: {
    id: ({ offerId }) => idOf('JobOfferPublishing', offerId),
    publishing: ({ found }) => found.publishing,
  },
  Mutation: {
    createJobOffer: {
      price: callOf('POST /job/v1/offer'),
      resolve: (_root, { input }, { upstream, operation }) =>
        write(() => {
          const [offer] = together(
            () => offerBody(input),
            () => checkNewStatus(input.offer.status),
          );
          return upstream.call(requestOffer(offer), operation);
        }),
    },
    updateJobOffer: {
      price: callOf('PUT /job/v1/offer/{id}'),
      resolve: (_root, { id, input }, { upstream, operation }) =>
        write(() => {
          const [offer] = together(
            () => offerBody(input),
            () => checkOfferId(id),
            () => checkKnownStatus(input.offer.status),
          );
          return upstream.call(requestUpdate(id, offer), operation);
        }),
    },
    applyToJob: {
      price: ONE_CALL,
      resolve: (_root, { input }, { upstream, operation }) =>
        write(() => upstream.call(requestApplication(applicationBody(input)), operation)),
    },
  },
};

/** What was written, or why it was not. */
export interface Outcome {
  /** The identifier of what was written. */
  readonly id: string | null;
  readonly userErrors: readonly { readonly message: string; readonly field: readonly string[] }[];
}

/** Sends a write. What its user can mend, found here or by the service, is part of the outcome; other errors are thrown. */
async function write(send: () => Promise<WrittenView | null>): Promise<Outcome> {
  try {
    const written = await send();
    return { id: written?.id ?? null, userErrors: [] };
  } catch (error) {
    if (!(error instanceof CodedError) || !MENDABLE.has(error.code)) throw error;
    const userErrors = [error, ...error.further].map(({ message, extensions }) => {
      const { argument = [] } = extensions as CodedErrorDetails;
      return { message, field: argument.map(String) };
    });
    return { id: null, userErrors };
  }
}

const MENDABLE: ReadonlySet<string> = new Set<ErrorCode>(['BAD_USER_INPUT', 'UPSTREAM_REFUSED_INPUT']);

async function publishingOf(id: string, { upstream, operation }: Pick<Context, 'upstream' | 'operation'>) {
  checkOfferId(id);
  const found = await upstream.call(requestPublishing(id), operation);
  // The store accepts capital letters, but a client's cache would take them for a different offer.
  return found === null ? null : { offerId: id.toLowerCase(), found };
}

/** Documented by the seed (3) and by today's service, which does not enforce it (work-study 7.4). */
function checkNewStatus(status: string | null | undefined): void {
  if (status !== null && status !== undefined && status !== 'ACTIVE')
    throw badUserInput('input.offer.status', 'must be ACTIVE for a new offer');
}

/** The word for unknown ones is for lists alone. */
function checkKnownStatus(status: string | null | undefined): void {
  if (status === 'OTHER') throw badUserInput('input.offer.status', 'must be a status that the source knows');
}
