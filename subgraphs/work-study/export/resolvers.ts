import { isRomeCode } from '../../codes/registers.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { centreOf } from '../communes/asked-commune.js';
import { resolveInsee } from '../communes/commune-index.js';
import { circleAround } from '../geography/circle.js';
import { JobOffer, JobRecruiter } from '../jobs/shapes.js';
import { ONE_CALL } from '../values/calls.js';
import { countMatching, type ListWanted, listRows } from './answers.js';
import { aroundCommune, checkRadius } from './questions.js';

/** Read from the export on disk, in turns of the event loop. */
const FROM_EXPORT = { ...ONE_CALL, calls: 0 };

const OFFERS = { kind: 'OFFER', shape: JobOffer } as const;
const RECRUITERS = { kind: 'RECRUITER', shape: JobRecruiter } as const;

/** Lists and counts of all rows of the export, and of those of a commune or a certification. */
export const exportResolvers: Resolvers = {
  Query: {
    exportedOffers: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve: (_root, args, context) => listRows(context, args, { ...OFFERS, list: 'exportedOffers' }),
    },
    exportedRecruiters: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve: (_root, args, context) => listRows(context, args, { ...RECRUITERS, list: 'exportedRecruiters' }),
    },
    exportedCounts: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve: (_root, { of, ...args }, context) =>
        countMatching(context, args, of === 'OFFERS' ? 'OFFER' : 'RECRUITER'),
    },
  },
  Commune: {
    exportedOffers: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve(commune, { radius, ...args }, context) {
        checkRadius(radius);
        const insee = resolveInsee(commune.code?.insee ?? '');
        if (insee === null) return null;
        const list = `Commune.exportedOffers ${insee} ${radius ?? ''}`;
        const rowsOf = (within: NonNullable<ListWanted<unknown>['within']>) =>
          listRows(context, args, { ...OFFERS, list, within });
        if (radius === undefined || radius === null)
          return rowsOf({ keys: [{ of: 'commune', accepts: (key) => key === insee }] });
        const centre = centreOf(insee);
        if (centre !== null) return rowsOf(aroundCommune(insee, centre, radius));
        return circleAround(commune, null).then(
          (circle) => circle && rowsOf(aroundCommune(insee, { lon: circle.longitude, lat: circle.latitude }, radius)),
        );
      },
    },
  },
  Certification: {
    exportedOffers: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve({ domaines }, args, context) {
        const codes = (domaines?.rome?.rncp ?? []).flatMap((one) => one?.code ?? []).filter(isRomeCode);
        const romes = new Set(codes);
        const list = `Certification.exportedOffers ${[...romes].join()}`;
        const within = { keys: [{ of: 'rome' as const, accepts: (key: string) => romes.has(key) }] };
        return listRows(context, args, { ...OFFERS, list, within });
      },
    },
  },
  ExportedOfferConnection: {
    counts: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve: (connection, args, { operation }) => connection.count(args, operation),
    },
  },
  ExportedRecruiterConnection: {
    counts: {
      reads: 'sources',
      price: FROM_EXPORT,
      waits: true,
      resolve: (connection, args, { operation }) => connection.count(args, operation),
    },
  },
};
