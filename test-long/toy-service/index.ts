import { whenThere } from '../../kernel/awaitable.js';
import type { Field } from '../../kernel/declared-field.js';
import type { OperationContext } from '../../kernel/operation.js';
import type { ServiceName } from '../../kernel/services.js';
import type { Secret } from '../../runtime/credentials/secret.js';
import { type SourceReport, sourceReport } from '../../subgraphs/graph/sources.js';
import { subgraphSchema } from '../../subgraphs/graph/subgraph-schema.js';
import type { OpenedSubgraph, Opening } from '../../subgraphs/registry.js';
import { list, neverNull, object, shape, text } from '../../subgraphs/rest/shape.js';
import type { Dialect, Upstream, UpstreamRequest } from '../../subgraphs/rest/upstream.js';

/** In this repository there is no such service; where the test adds its entry, there is. */
const TOY = 'toy' as string as ServiceName;

const dialect: Dialect = {
  readOnly: true,
  headers: (secret) => ({ 'x-key': secret }),
  probes: { '/toys': { method: 'GET', template: '/toys', path: '/toys' } },
  scopes: (_request, key) => [{ kind: 'window', name: `toys ${key}`, limit: 60, windowMs: 60_000 }],
  readFailure: () => undefined,
};

const toyShape = shape('Toy', { id: text(), name: text() });
const listShape = shape('Toys', { toys: neverNull(list(object(toyShape))) });

type Toys = ReturnType<typeof listShape.view>;

function toysOf(insee: string): UpstreamRequest<Toys> {
  return {
    ...({ method: 'GET', template: '/toys', path: '/toys', cache: 'search', key: 'caller-or-operator' } as const),
    query: [['insee', insee]],
    parse: ({ json, sender }) => listShape.view(json, sender),
  };
}

interface Context {
  readonly operation: OperationContext;
  readonly upstream: Upstream;
  readonly report: () => SourceReport;
}

const toys: Field<unknown, { readonly code: { readonly insee: string } }, Context, unknown> = {
  price: { scope: 'toys' },
  resolve: ({ code }, _args, { upstream, operation }) =>
    whenThere(upstream.read(toysOf(code.insee), operation), (found) => found?.toys ?? null),
};

const schema = subgraphSchema(TOY, [{ Commune: { toys } }]);

/** What `subgraphs/registry.ts` would say of it. */
export const toySubgraph = {
  dialect,
  operatorKey: ({ apiKey }: { readonly apiKey: Secret }) => apiKey.reveal(),
  schema,
  open: ({ upstream }: Pick<Opening<ServiceName>, 'upstream'>): OpenedSubgraph => ({
    name: TOY,
    schema: schema(),
    contextFor: (operation): Context => ({
      operation,
      upstream,
      report: () => sourceReport(TOY, upstream, operation),
    }),
    status: () => upstream.status(),
    figures: (credential) => upstream.figures(credential),
    version: (credential) => upstream.version(credential),
    close: () => upstream.close(),
  }),
  driftProbes: [],
};
