/** What resolvers of a GraphQL type get as their parent: `<Type>Parent` for each type that is not plain data. */
export type { Viewer as ViewerParent } from './viewer/client.js';
export type { CompanyView as CompanyParent } from './viewer/shapes.js';

/** A reference: its state is this subgraph's own to report. */
export interface WasteIdentitySourceParent {
  readonly name: string;
}
