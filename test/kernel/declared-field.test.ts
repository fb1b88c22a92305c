import { isObjectType } from 'graphql';
import { describe, expect, test } from 'vitest';
import { declaredField, type Field } from '../../kernel/declared-field.js';
import type { OperationContext } from '../../kernel/operation.js';
import { isRouteScope } from '../../kernel/price.js';
import type { Load } from '../../subgraphs/graph/loader.js';
import type { Dialect, UpstreamRequest } from '../../subgraphs/rest/upstream.js';
import { volunteeringDialect } from '../../subgraphs/volunteering/dialect.js';
import { volunteeringSchema } from '../../subgraphs/volunteering/index.js';
import { wasteIdentityDialect } from '../../subgraphs/waste-identity/dialect.js';
import { wasteIdentitySchema } from '../../subgraphs/waste-identity/index.js';
import { workStudyDialect } from '../../subgraphs/work-study/dialect.js';
import { workStudySchema } from '../../subgraphs/work-study/index.js';

/** Guards declarations of fields: a wrong one does not compile, or fails here. */

interface Context {
  readonly operation: OperationContext;
  readonly state: () => string;
  readonly load: Load<string, string>;
}

type Of = Field<string, { readonly id: string }, Context, { readonly first: number }>;

const PRICE = { scope: 'all routes' };

/** Each line that is expected to be an error is one: the compiler refuses an expectation that nothing meets. */
const declared: Of[] = [
  ({ id }) => id,
  (_parent, { first }, { state }) => `${state()} ${first}`,
  // @ts-expect-error: what has no price has no operation, which every call needs
  ({ id }, _args, { load, operation }) => load(id, operation),
  { price: PRICE, resolve: ({ id }, _args, { load, operation }) => load(id, operation) },
  // @ts-expect-error: a price names a counter
  { price: { calls: 2 }, resolve: ({ id }, _args, { load, operation }) => load(id, operation) },
  // @ts-expect-error: a declaration without a price is a function
  { resolve: ({ id }: { readonly id: string }) => id },
];

test('A declaration is right where it compiles', () => {
  // The compiler checks the list above, in `npm run types`.
  expect(declared).toHaveLength(6);
});

interface DeclaredService {
  readonly name: string;
  readonly schema: ReturnType<typeof volunteeringSchema>;
  readonly dialect: Dialect;
}

const SUBGRAPHS: DeclaredService[] = [
  { name: 'work-study', schema: workStudySchema(), dialect: workStudyDialect },
  { name: 'waste-identity', schema: wasteIdentitySchema(), dialect: wasteIdentityDialect },
  { name: 'volunteering', schema: volunteeringSchema(), dialect: volunteeringDialect },
];

describe.each(SUBGRAPHS)('The fields of $name', ({ schema, dialect }) => {
  const fields = Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ name: `${type.name}.${field.name}`, field })))
    // Federation's own.
    .filter(({ field }) => !field.name.startsWith('_'))
    .map(({ name, field }) => ({ name, field, declared: declaredField(field) }));

  test('have no arguments where they follow from their parent', () => {
    const ofParent = fields.filter(({ declared: { takesParentOnly } }) => takesParentOnly);
    expect(ofParent.length).toBeGreaterThan(0);
    expect(ofParent.filter(({ field }) => field.args.length > 0).map(({ name }) => name)).toEqual([]);
  });

  test('have a resolver where they do not follow from their parent', () => {
    const others = fields.filter(({ declared: { takesParentOnly, resolve } }) => !takesParentOnly && resolve === null);
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  test('fall under counters that the service has', () => {
    const priced = fields.filter(({ declared: { price } }) => price !== null);
    expect(priced.length).toBeGreaterThan(0);
    const unknown = priced.filter(
      ({ declared: { price } }) => !countersOf(dialect, price?.scope ?? '').includes(price?.scope ?? ''),
    );
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });
});

/** The counters that a call of this scope's route falls under, by the names that `sources` shows. */
function countersOf({ scopes }: Dialect, scope: string): string[] {
  const [method, template] = isRouteScope(scope) ? scope.split(' ') : ['GET', '/any'];
  const request = { method, template } as UpstreamRequest<unknown>;
  return (scopes?.(request, '') ?? []).map(({ name }) => name.trim());
}
