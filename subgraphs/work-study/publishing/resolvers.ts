import { priced } from '../../../schema/price.js';
import { badUserInput } from '../../graph/arguments.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { checkOfferId } from '../values/argument-checks.js';
import { callOf, ONE_CALL } from '../values/scopes.js';
import { applicationBody } from './application-body.js';
import { offerBody } from './offer-body.js';

const PUBLISHING = callOf('GET /job/v1/offer/{id}/publishing-informations');

/** Writes are checked as far as their rules are documented, then sent once. */
export const publishingResolvers: Resolvers = {
  Query: {
    jobOfferPublishing: priced(PUBLISHING, async (_root, { id }, { loaders, operation }) => {
      checkOfferId(id);
      const found = await loaders.publishing.publishing(id, operation);
      return found === null ? null : { id, found };
    }),
    jobOfferExport: priced(callOf('GET /job/v1/export'), (_root, _args, { loaders, operation }) =>
      loaders.publishing.exportLink(operation),
    ),
  },
  JobOfferPublishing: {
    // The store accepts capital letters, but a client's cache would take them for a different offer.
    id: ({ id }) => id.toLowerCase(),
    publishing: ({ found }) => found.publishing,
  },
  Mutation: {
    createJobOffer: priced(callOf('POST /job/v1/offer'), (_root, { input }, { loaders, operation }) => {
      const { status } = input.offer;
      // Documented by the seed (3) and by today's service, which does not enforce it (work-study 7.4).
      if (status !== null && status !== undefined && status !== 'ACTIVE') {
        throw badUserInput('input.offer.status', 'must be ACTIVE for a new offer');
      }
      return loaders.publishing.create(offerBody(input), operation);
    }),
    updateJobOffer: priced(callOf('PUT /job/v1/offer/{id}'), (_root, { id, input }, { loaders, operation }) => {
      checkOfferId(id);
      return loaders.publishing.update(id, offerBody(input), operation);
    }),
    applyToJob: priced(ONE_CALL, (_root, { input }, { loaders, operation }) =>
      loaders.publishing.apply(applicationBody(input), operation),
    ),
  },
};
