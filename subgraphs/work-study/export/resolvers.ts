import type { FieldPrice } from '../../../kernel/price.js';
import { isRomeCode } from '../../codes/registers.js';
import { badUserInput } from '../../graph/arguments.js';
import type { ExportedOfferConnectionCountsArgs, Resolvers } from '../__generated__/resolvers.js';
import { resolveInsee } from '../communes/commune-index.js';
import type { Context } from '../context.js';
import { DEFAULT_RADIUS_KM } from '../geography/circle.js';
import { joinCentreOf, lazyCommune } from '../geography/lazy-commune.js';
import { JobOffer, JobRecruiter } from '../jobs/shapes.js';
import { ONE_CALL } from '../values/calls.js';
import { countMatching, type ExportedConnection, type ListWanted, listRows, type PageArguments } from './answers.js';
import { aroundCommune, checkRadius, type Kind, oneOf, unplacedIn, type Where } from './questions.js';
import { termOf } from './tables.js';

/** Read from the export on disk, in turns of the event loop; only the service knows the centre of some communes. */
const FROM_EXPORT: FieldPrice = {
  ...ONE_CALL,
  calls: ({ where }) => (unplacedIn(where as Where | null) === null ? 0 : 1),
};

const OFFERS = { kind: 'OFFER', shape: JobOffer } as const;
const RECRUITERS = { kind: 'RECRUITER', shape: JobRecruiter } as const;

/** The fields of a list that read the export again. */
const COUNTED = {
  totalCount: {
    price: FROM_EXPORT,
    resolve: (connection: Listed, _args: unknown, { operation }: Asking) => connection.total(operation),
  },
  counts: {
    price: FROM_EXPORT,
    resolve: (connection: Listed, args: ExportedOfferConnectionCountsArgs, { operation }: Asking) =>
      connection.count(args, operation),
  },
};
type Listed = ExportedConnection<unknown>;
type Asking = Pick<Context, 'operation'>;

/** Lists and counts of all rows of the export, and of those of a commune or a certification. */
export const exportResolvers: Resolvers = {
  Query: {
    exportedOffers: listField({ ...OFFERS, list: 'exportedOffers' }),
    exportedRecruiters: listField({ ...RECRUITERS, list: 'exportedRecruiters' }),
    exportedOfferCounts: countsField('OFFER'),
    exportedRecruiterCounts: countsField('RECRUITER'),
  },
  Commune: {
    exportedOffers: {
      price: FROM_EXPORT,
      async resolve(commune, args, context) {
        const { near, radius, atLeast } = args.where ?? {};
        checkRadius(radius);
        if (near) throw badUserInput('where.near', 'cannot be given below a commune, which is the point itself');
        const insee = resolveInsee(commune.code?.insee ?? '');
        if (insee === null) return null;
        const list = `Commune.exportedOffers ${insee} ${radius ?? ''}`;
        const ofList = { ...args, where: { ...args.where, radius: null } };
        if (typeof radius !== 'number' && typeof atLeast !== 'number')
          return listRows(context, ofList, { ...OFFERS, list, within: { terms: oneOf('commune', [insee]) } });
        const centre = await joinCentreOf(commune);
        return (
          centre &&
          listRows(context, ofList, {
            ...OFFERS,
            list,
            within: aroundCommune(insee, centre, radius ?? DEFAULT_RADIUS_KM),
          })
        );
      },
    },
  },
  Certification: {
    exportedOffers: {
      price: FROM_EXPORT,
      resolve({ domaines }, args, context) {
        const codes = (domaines?.rome?.rncp ?? []).flatMap((one) => one?.code ?? []).filter(isRomeCode);
        const romes = new Set(codes);
        const list = `Certification.exportedOffers ${[...romes].join()}`;
        const within = { terms: [[...romes].map((code) => termOf('rome', code))] };
        return listRows(context, args, { ...OFFERS, list, within });
      },
    },
  },
  ExportedOfferConnection: COUNTED,
  ExportedRecruiterConnection: COUNTED,
};

function listField<T>(wanted: ListWanted<T>) {
  return {
    price: FROM_EXPORT,
    resolve: async (_root: unknown, args: PageArguments, context: Context) =>
      listRows(context, await placed(args, context), wanted),
  };
}

function countsField(kind: Kind) {
  return {
    price: FROM_EXPORT,
    resolve: async (_root: unknown, args: Parameters<typeof countMatching>[1], context: Context) =>
      countMatching(context, await placed(args, context), kind),
  };
}

/** The arguments with the coordinates of a commune that only the service knows, in place of its code. */
async function placed<A extends { readonly where?: Where | null }>(
  args: A,
  { loaders, operation }: Context,
): Promise<A> {
  const insee = unplacedIn(args.where);
  if (insee === null) return args;
  const centre = await joinCentreOf(lazyCommune(insee, () => loaders.geography.commune(insee, operation)));
  const position = centre && { latitude: centre.lat, longitude: centre.lon };
  return position === null ? args : { ...args, where: { ...args.where, near: { position } } };
}
