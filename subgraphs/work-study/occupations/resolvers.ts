import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { CodedError } from '../../../kernel/errors.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { inTurn } from '../../../runtime/event-loop/turns.js';
import { checkLength, checkRange, together } from '../../graph/arguments.js';
import { idOf, readId } from '../../graph/ids.js';
import type { Resolvers } from '../__generated__/resolvers.js';
import { recallCertifications } from '../certifications/client.js';
import type { Context } from '../context.js';
import { romeOfTitles } from '../export/answers.js';
import type { Kind } from '../export/questions.js';
import { ONE_CALL } from '../values/calls.js';
import {
  findOccupations,
  type NamedOccupation,
  namedOccupation,
  type OccupationIndex,
  occupationNames,
  tellingWords,
} from './occupation-names.js';

const MAX_WORDS_LENGTH = 100;
const MAX_OCCUPATIONS = 100;
const FEW_OCCUPATIONS = 10;
/** Answered from tables, the export and what memory has. */
const WITHOUT_CALL: FieldPrice = { ...ONE_CALL, calls: 0 };

/** Occupations by their names, and of offers. */
export const occupationsResolvers: Resolvers = {
  Query: {
    occupationsByName: {
      price: WITHOUT_CALL,
      resolve(_root, { name, first }, context) {
        together(
          () => checkLength('name', name, { min: 1, max: MAX_WORDS_LENGTH }),
          () => checkRange('first', first, { min: 1, max: MAX_OCCUPATIONS }),
        );
        const find = (names: OccupationIndex) => inTurn(() => findOccupations(names, name, first ?? FEW_OCCUPATIONS));
        return whenThere(whenThere(occupationNames(), find), (found): Awaitable<NamedOccupation[]> => {
          if (found.length > 0) return found;
          return romeOfTitles(context, tellingWords(name)).then((code) =>
            code === null ? [] : [namedOccupation(code)],
          );
        });
      },
    },
  },
  Occupation: {
    __resolveReference: ({ id }) => namedOccupation(readId(id)?.code ?? ''),
    id: ({ code }) => idOf('Occupation', code),
    parent: ({ code, parent }) => (parent === code ? null : namedOccupation(parent)),
    matchedName: ({ matchedName = null }) => matchedName,
    offerCount: {
      price: WITHOUT_CALL,
      resolve: ({ code }, _args, context) => rowsOf('OFFER', code, context),
    },
    recruiterCount: {
      price: WITHOUT_CALL,
      resolve: ({ code }, _args, context) => rowsOf('RECRUITER', code, context),
    },
    codeInExport: {
      price: WITHOUT_CALL,
      async resolve({ code, parent }, _args, context) {
        const rows = async (one: string) =>
          (await rowsOf('OFFER', one, context)) + (await rowsOf('RECRUITER', one, context));
        return (await rows(code)) === 0 && (await rows(parent)) > 0 ? parent : code;
      },
    },
    certifications: {
      price: WITHOUT_CALL,
      resolve({ code, parent }, { first }, { upstream, operation }) {
        checkRange('first', first, { min: 1, max: MAX_OCCUPATIONS });
        const [own, ofParent] = [code, parent].map((one) => recallCertifications(upstream, one, operation));
        if (!own || !ofParent) throw notRead();
        const items = (own.length > 0 ? own : ofParent).items(0, first ?? FEW_OCCUPATIONS);
        return whenThere(items, (some) => [...some]);
      },
    },
  },
  JobOfferDetails: {
    occupations: ({ romeCodes }) => romeCodes?.flatMap((code) => (code === null ? [] : namedOccupation(code))) ?? null,
  },
};

/** How many rows of a kind are listed under a code. */
async function rowsOf(kind: Kind, code: string, { loaders, operation }: Pick<Context, 'loaders' | 'operation'>) {
  return (await loaders.rowsByRome(kind, operation)).get(code) ?? 0;
}

function notRead(): CodedError {
  return new CodedError(
    'GATEWAY_UNAVAILABLE',
    'The list of certifications has not been read yet: `certifications` without a code reads it.',
    { service: 'work-study' },
  );
}
