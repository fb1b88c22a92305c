import type { Viewer } from './viewer/client.js';
import type { CompanyView } from './viewer/shapes.js';

/** What resolvers of a GraphQL type get as their parent: `<Type>Parent` for each type that is not plain data. */

export type ViewerParent = Viewer;
export type CompanyParent = CompanyView;

export interface WasteIdentitySourceParent {
  readonly name: string;
}
