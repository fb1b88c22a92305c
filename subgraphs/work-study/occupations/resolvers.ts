import { type Awaitable, whenThere } from '../../../kernel/awaitable.js';
import { CodedError } from '../../../kernel/errors.js';
import type { FieldPrice } from '../../../kernel/price.js';
import { checkLength, checkRange, together } from '../../graph/arguments.js';
import { idOf } from '../../graph/ids.js';
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
        return whenThere(occupationNames(), (names): Awaitable<NamedOccupation[]> => {
          const found = findOccupations(names, name, first ?? FEW_OCCUPATIONS);
          if (found.length > 0) return found;
          return romeOfTitles(context, tellingWords(name)).then((code) =>
            code === null ? [] : [namedOccupation(code)],
          );
        });
      },
    },
  },
  Occupation: {
    __resolveReference: ({ code }) => namedOccupation(code),
    id: ({ code }) => idOf('Occupation', code),
    parent: ({ code, parent }) => (parent === code ? null : namedOccupation(parent)),
    matchedName: ({ matchedName = null }) => matchedName,
    offerCount: {
      price: WITHOUT_CALL,
      resolve: ({ code }, _args, context) => rowsOf('OFFER', context, (rows) => rows(code)),
    },
    recruiterCount: {
      price: WITHOUT_CALL,
      resolve: ({ code }, _args, context) => rowsOf('RECRUITER', context, (rows) => rows(code)),
    },
    codeInExport: {
      price: WITHOUT_CALL,
      resolve: ({ code, parent }, _args, context) =>
        rowsOf('OFFER', context, (offers) =>
          rowsOf('RECRUITER', context, (recruiters) => {
            const rows = (one: string) => offers(one) + recruiters(one);
            return rows(code) === 0 && rows(parent) > 0 ? parent : code;
          }),
        ),
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

/** Something of the rows of a kind that are listed under each code. */
function rowsOf<T>(
  kind: Kind,
  { loaders, operation }: Pick<Context, 'loaders' | 'operation'>,
  answer: (rows: (code: string) => number) => Awaitable<T>,
): Awaitable<T> {
  return whenThere(loaders.rowsByRome(kind, operation), (rows) => answer((code) => rows.get(code) ?? 0));
}

function notRead(): CodedError {
  return new CodedError(
    'GATEWAY_UNAVAILABLE',
    'The list of certifications has not been read yet: `certifications` without a code reads it.',
    { service: 'work-study' },
  );
}
