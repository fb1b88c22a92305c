import { id, moment, object, otherWord, required, shape, text, type View, vocabulary } from '../../rest/shape.js';

/** Responses of the publishing routes (work-study 12.2.9 and 12.2.10, 7.4 and 7.7). */

const PUBLISHING_STATUSES = {
  WILL_BE_PUBLISHED: 'WILL_BE_PUBLISHED',
  PUBLISHED: 'PUBLISHED',
  WILL_NOT_BE_PUBLISHED: 'WILL_NOT_BE_PUBLISHED',
} as const;

/** How far the publication of an offer has got (work-study 12.2.10). */
export const JobOfferPublishing = shape('JobOfferPublishing', {
  publishing: required(
    object({
      status: required(vocabulary(PUBLISHING_STATUSES)),
      statusRaw: otherWord(PUBLISHING_STATUSES, 'status'),
      error: object({ code: text(), label: text() }),
    }),
  ),
});

/** A signed link to the daily export, valid for two minutes (work-study 7.6). */
export const JobOfferExport = shape('JobOfferExport', { url: required(text()), lastUpdate: required(moment()) });

/** The identifier of the offer or application created. */
export const Written = shape('Written', { id: required(id()) });

/** The state of a publication as sent. */
export type JobOfferPublishingView = View<typeof JobOfferPublishing>;

/** The link as sent, which is a secret while it is valid. */
export type JobOfferExportView = View<typeof JobOfferExport>;

/** The identifier of what was created, as sent. */
export type WrittenView = View<typeof Written>;
