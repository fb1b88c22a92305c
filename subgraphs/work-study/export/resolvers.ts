import { isRomeCode } from '../../codes/registers.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { resolveInsee } from '../communes/commune-index.js';
import { JobOffer, JobRecruiter } from '../jobs/shapes.js';
import { ONE_CALL } from '../values/calls.js';
import { countMatching, listRows } from './answers.js';
import { centreOf, checkRadius } from './questions.js';

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
      resolve({ code }, { radius, ...args }, context) {
        checkRadius(radius);
        const insee = code?.insee === undefined || code.insee === null ? null : resolveInsee(code.insee);
        if (insee === null) return null;
        const list = `Commune.exportedOffers ${insee} ${radius ?? ''}`;
        const within =
          radius === undefined || radius === null
            ? { keys: [{ of: 'commune' as const, accepts: (key: string) => key === insee }] }
            : { near: { position: centreOf('radius', insee), radiusKm: radius } };
        return listRows(context, args, { ...OFFERS, list, within });
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
