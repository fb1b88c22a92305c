/** The parents that resolvers of a GraphQL type get: `<Type>Parent` for each type that is not plain data. */
export type { Viewer as ViewerParent } from './viewer/client.js';
export type { CompanyView as CompanyParent } from './viewer/shapes.js';
