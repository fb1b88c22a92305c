import type { SendOptions } from '../../scenarios/stack.js';
import { SIRETS } from '../../work-study/support/tiny-world.js';

/** Parts of a JobOfferInput, each of which changes that part of the minimal offer. */
export interface OfferParts {
  readonly identifier?: unknown;
  readonly workplace?: object;
  readonly apply?: object;
  readonly contract?: unknown;
  readonly offer?: object;
}

/** The minimal JobOfferInput that the service accepts, with the given parts changed (work-study 12.2.11). */
export function offerInput({ workplace, apply, offer, ...rest }: OfferParts = {}): Record<string, unknown> {
  return {
    ...rest,
    workplace: { siret: SIRETS.bakery, ...workplace },
    apply: apply ?? { email: 'embauche@example.fr' },
    offer: { title: 'Boulangère', description: 'Pétrir, façonner et cuire le pain.', ...offer },
  };
}

export const CREATE =
  'mutation ($input: JobOfferInput!) { createJobOffer(input: $input) { offerId userErrors { message } } }';
export const UPDATE =
  'mutation ($id: ID!, $input: JobOfferInput!) { updateJobOffer(id: $id, input: $input) { offerId userErrors { message } } }';
export const APPLY = 'mutation ($input: ApplicationInput!) { applyToJob(input: $input) { id userErrors { message } } }';

/** An application to the offer or recruiter with this recipient id. */
export function applicationInput(recipientId: string, parts: object = {}): Record<string, unknown> {
  return {
    applicantFirstName: 'Camille',
    applicantLastName: 'Roux',
    applicantEmail: 'camille.roux@example.fr',
    applicantPhone: '0612345678',
    applicantAttachmentName: 'cv.pdf',
    applicantAttachmentContent: `data:application/pdf;base64,${Buffer.from('%PDF-1.7').toString('base64')}`,
    recipientId,
    ...parts,
  };
}

/** Options to send a query with the caller's own key. */
export function withKey(key: string, variables: Record<string, unknown> = {}): SendOptions {
  return { variables, headers: { 'x-work-study-key': key } };
}
