/* eslint-disable */
import * as types from './graphql';
import type { TypedDocumentNode as DocumentNode } from '@graphql-typed-document-node/core';

/**
 * Map of all GraphQL operations in the project.
 *
 * This map has several performance disadvantages:
 * 1. It is not tree-shakeable, so it will include all operations in the project.
 * 2. It is not minifiable, so the string of a GraphQL query will be multiple times inside the bundle.
 * 3. It does not support dead code elimination, so it will add unused operations.
 *
 * Therefore it is highly recommended to use the babel or swc plugin for production.
 * Learn more about it here: https://the-guild.dev/graphql/codegen/plugins/presets/preset-client#reducing-bundle-size
 */
type Documents = {
    "# Searches the official list of communes: costs no call to a service.\nquery Communes($name: String!) {\n  communesByName(name: $name, first: 8) {\n    id\n    code {\n      insee\n    }\n    nom\n  }\n}\n\n# Everything that the page shows first, in one request. Where one source fails, the other's part is there.\nquery Around($insee: INSEECode!, $radius: Float!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10) {\n      ...MissionList\n    }\n    jobSearch(radius: $radius) {\n      jobs {\n        id\n        offer {\n          title\n        }\n        workplace {\n          name\n        }\n        apply {\n          recipientId\n        }\n      }\n    }\n  }\n}\n\nquery MoreMissions($insee: INSEECode!, $radius: Float!, $after: String!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10, after: $after) {\n      ...MissionList\n    }\n  }\n}\n\nquery Mission($id: ID!) {\n  mission(id: $id) {\n    id\n    title\n    organizationName\n    description\n  }\n}\n\n# Needs a login: without one, `viewer` is null with the error CREDENTIALS_REQUIRED.\nquery Me {\n  viewer {\n    id\n    name\n  }\n}\n\n# Needs a key, which the page's own route adds.\nmutation Apply($input: ApplicationInput!) {\n  applyToJob(input: $input) {\n    id\n    userErrors {\n      message\n      field\n    }\n  }\n}\n\nfragment MissionList on CommuneMissionConnection {\n  totalCount\n  pageInfo {\n    hasNextPage\n    endCursor\n  }\n  edges {\n    node {\n      id\n      title\n    }\n  }\n}\n": typeof types.CommunesDocument,
};
const documents: Documents = {
    "# Searches the official list of communes: costs no call to a service.\nquery Communes($name: String!) {\n  communesByName(name: $name, first: 8) {\n    id\n    code {\n      insee\n    }\n    nom\n  }\n}\n\n# Everything that the page shows first, in one request. Where one source fails, the other's part is there.\nquery Around($insee: INSEECode!, $radius: Float!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10) {\n      ...MissionList\n    }\n    jobSearch(radius: $radius) {\n      jobs {\n        id\n        offer {\n          title\n        }\n        workplace {\n          name\n        }\n        apply {\n          recipientId\n        }\n      }\n    }\n  }\n}\n\nquery MoreMissions($insee: INSEECode!, $radius: Float!, $after: String!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10, after: $after) {\n      ...MissionList\n    }\n  }\n}\n\nquery Mission($id: ID!) {\n  mission(id: $id) {\n    id\n    title\n    organizationName\n    description\n  }\n}\n\n# Needs a login: without one, `viewer` is null with the error CREDENTIALS_REQUIRED.\nquery Me {\n  viewer {\n    id\n    name\n  }\n}\n\n# Needs a key, which the page's own route adds.\nmutation Apply($input: ApplicationInput!) {\n  applyToJob(input: $input) {\n    id\n    userErrors {\n      message\n      field\n    }\n  }\n}\n\nfragment MissionList on CommuneMissionConnection {\n  totalCount\n  pageInfo {\n    hasNextPage\n    endCursor\n  }\n  edges {\n    node {\n      id\n      title\n    }\n  }\n}\n": types.CommunesDocument,
};

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 *
 *
 * @example
 * ```ts
 * const query = graphql(`query GetUser($id: ID!) { user(id: $id) { name } }`);
 * ```
 *
 * The query argument is unknown!
 * Please regenerate the types.
 */
export function graphql(source: string): unknown;

/**
 * The graphql function is used to parse GraphQL queries into a document that can be used by GraphQL clients.
 */
export function graphql(source: "# Searches the official list of communes: costs no call to a service.\nquery Communes($name: String!) {\n  communesByName(name: $name, first: 8) {\n    id\n    code {\n      insee\n    }\n    nom\n  }\n}\n\n# Everything that the page shows first, in one request. Where one source fails, the other's part is there.\nquery Around($insee: INSEECode!, $radius: Float!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10) {\n      ...MissionList\n    }\n    jobSearch(radius: $radius) {\n      jobs {\n        id\n        offer {\n          title\n        }\n        workplace {\n          name\n        }\n        apply {\n          recipientId\n        }\n      }\n    }\n  }\n}\n\nquery MoreMissions($insee: INSEECode!, $radius: Float!, $after: String!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10, after: $after) {\n      ...MissionList\n    }\n  }\n}\n\nquery Mission($id: ID!) {\n  mission(id: $id) {\n    id\n    title\n    organizationName\n    description\n  }\n}\n\n# Needs a login: without one, `viewer` is null with the error CREDENTIALS_REQUIRED.\nquery Me {\n  viewer {\n    id\n    name\n  }\n}\n\n# Needs a key, which the page's own route adds.\nmutation Apply($input: ApplicationInput!) {\n  applyToJob(input: $input) {\n    id\n    userErrors {\n      message\n      field\n    }\n  }\n}\n\nfragment MissionList on CommuneMissionConnection {\n  totalCount\n  pageInfo {\n    hasNextPage\n    endCursor\n  }\n  edges {\n    node {\n      id\n      title\n    }\n  }\n}\n"): (typeof documents)["# Searches the official list of communes: costs no call to a service.\nquery Communes($name: String!) {\n  communesByName(name: $name, first: 8) {\n    id\n    code {\n      insee\n    }\n    nom\n  }\n}\n\n# Everything that the page shows first, in one request. Where one source fails, the other's part is there.\nquery Around($insee: INSEECode!, $radius: Float!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10) {\n      ...MissionList\n    }\n    jobSearch(radius: $radius) {\n      jobs {\n        id\n        offer {\n          title\n        }\n        workplace {\n          name\n        }\n        apply {\n          recipientId\n        }\n      }\n    }\n  }\n}\n\nquery MoreMissions($insee: INSEECode!, $radius: Float!, $after: String!) {\n  commune(insee: $insee) {\n    id\n    missions(radius: $radius, first: 10, after: $after) {\n      ...MissionList\n    }\n  }\n}\n\nquery Mission($id: ID!) {\n  mission(id: $id) {\n    id\n    title\n    organizationName\n    description\n  }\n}\n\n# Needs a login: without one, `viewer` is null with the error CREDENTIALS_REQUIRED.\nquery Me {\n  viewer {\n    id\n    name\n  }\n}\n\n# Needs a key, which the page's own route adds.\nmutation Apply($input: ApplicationInput!) {\n  applyToJob(input: $input) {\n    id\n    userErrors {\n      message\n      field\n    }\n  }\n}\n\nfragment MissionList on CommuneMissionConnection {\n  totalCount\n  pageInfo {\n    hasNextPage\n    endCursor\n  }\n  edges {\n    node {\n      id\n      title\n    }\n  }\n}\n"];

export function graphql(source: string) {
  return (documents as any)[source] ?? {};
}

export type DocumentType<TDocumentNode extends DocumentNode<any, any>> = TDocumentNode extends DocumentNode<  infer TType,  any>  ? TType  : never;