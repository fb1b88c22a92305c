import type { World } from '../../world/types.js';
import { textAt, valueAt } from '../values/fields.js';
import type { WriteOrder } from './offer-store.js';
import type { PublishingErrorCode } from './publishing-errors.js';
import type { StoredOffer } from './stored-offer.js';

/** One run of the processing job. */
export interface Processing {
  /** When the processing job runs. */
  readonly tick: number;
  readonly world: World;
  readonly offers: Iterable<StoredOffer>;
  readonly geocode: (address: string) => unknown;
}

/** Why processing does not publish an offer, as a code of work-study 7.3; undefined if it does. */
export function refusalOf(
  { write, id }: WriteOrder,
  { tick, world, offers, geocode }: Processing,
): PublishingErrorCode | undefined {
  const { offer, workplace } = write;
  const centre = world.organismes.find((one) => textAt(one, 'identifiant', 'siret') === workplace.siret);
  if (centre !== undefined) {
    return valueAt(centre, 'etablissement', 'ouvert') === true ? 'CFA' : 'CLOSED_COMPANY';
  }
  if (offer.expiration !== null && Date.parse(offer.expiration) <= tick) return 'EXPIRED';
  if (/\bstag(?:e|iaire)s?\b/i.test(offer.title)) return 'STAGE';
  if (/\btemps plein\b/i.test(offer.title)) return 'FULL_TIME';
  for (const other of offers) if (isSameOffer(other, id, workplace.siret, offer.title)) return 'DUPLICATE';
  if (workplace.address !== null && geocode(workplace.address) === undefined) return 'GEOLOCATION_NOT_FOUND';
  return undefined;
}

function isSameOffer(other: StoredOffer, id: string | undefined, siret: string, title: string): boolean {
  return (
    other.id !== id &&
    other.status === 'Active' &&
    other.siret === siret &&
    other.title.toLowerCase() === title.toLowerCase()
  );
}
