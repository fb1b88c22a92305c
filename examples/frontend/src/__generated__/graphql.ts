/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type CommunesQueryVariables = Exact<{
  name: string;
}>;


export type CommunesQuery = { communesByName: Array<{ id: string, nom: string | null, code: { insee: string | null } | null } | null> | null };

export type AroundQueryVariables = Exact<{
  insee: string;
  radius: number;
  first: number;
}>;


export type AroundQuery = { commune: { id: string, nom: string | null, localisation: { centre: { coordinates: Array<number> | null } | null } | null, missions: { totalCount: number | null, truncated: boolean, pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ distance: number, address: { city: string | null, location: { lon: number | null, lat: number | null } | null }, node: { id: string, title: string | null, organizationName: string | null } | null } | null> | null } | null, jobSearch: { truncated: boolean | null, jobs: Array<{ id: string | null, offer: { title: string | null } | null, workplace: { name: string | null, location: { address: string | null, geopoint: { coordinates: Array<number> | null } | null } | null } | null } | null> | null } | null } | null };

export type MoreMissionsQueryVariables = Exact<{
  insee: string;
  radius: number;
  first: number;
  after: string;
}>;


export type MoreMissionsQuery = { commune: { id: string, missions: { totalCount: number | null, truncated: boolean, pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ distance: number, address: { city: string | null, location: { lon: number | null, lat: number | null } | null }, node: { id: string, title: string | null, organizationName: string | null } | null } | null> | null } | null } | null };

export type OrganizationsQueryVariables = Exact<{
  q: string;
  first: number;
  after?: string | null | undefined;
}>;


export type OrganizationsQuery = { organizations: { totalCount: number | null, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string | null, addressCity: string | null, commune: { id: string, localisation: { centre: { coordinates: Array<number> | null } | null } | null } | null } | null> | null } | null };

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { viewer: { id: string | null, name: string | null, companies: Array<{ id: string | null, name: string | null } | null> | null } | null };

export type MissionPageFragment = { totalCount: number | null, truncated: boolean, pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ distance: number, address: { city: string | null, location: { lon: number | null, lat: number | null } | null }, node: { id: string, title: string | null, organizationName: string | null } | null } | null> | null };

export type OfferFragment = { id: string | null, offer: { title: string | null } | null, workplace: { name: string | null, location: { address: string | null, geopoint: { coordinates: Array<number> | null } | null } | null } | null };

export class TypedDocumentString<TResult, TVariables>
  extends String
  implements DocumentTypeDecoration<TResult, TVariables>
{
  __apiType?: NonNullable<DocumentTypeDecoration<TResult, TVariables>['__apiType']>;
  private value: string;
  public __meta__?: Record<string, any> | undefined;

  constructor(value: string, __meta__?: Record<string, any> | undefined) {
    super(value);
    this.value = value;
    this.__meta__ = __meta__;
  }

  override toString(): string & DocumentTypeDecoration<TResult, TVariables> {
    return this.value;
  }
}
export const MissionPageFragmentDoc = new TypedDocumentString(`
    fragment MissionPage on CommuneMissionConnection {
  totalCount
  truncated
  pageInfo {
    hasNextPage
    endCursor
  }
  edges {
    distance
    address {
      city
      location {
        lon
        lat
      }
    }
    node {
      id
      title
      organizationName
    }
  }
}
    `, {"fragmentName":"MissionPage"}) as unknown as TypedDocumentString<MissionPageFragment, unknown>;
export const OfferFragmentDoc = new TypedDocumentString(`
    fragment Offer on JobOffer {
  id
  offer {
    title
  }
  workplace {
    name
    location {
      address
      geopoint {
        coordinates
      }
    }
  }
}
    `, {"fragmentName":"Offer"}) as unknown as TypedDocumentString<OfferFragment, unknown>;
export const CommunesDocument = new TypedDocumentString(`
    query Communes($name: String!) {
  communesByName(name: $name, first: 8) {
    id
    code {
      insee
    }
    nom
  }
}
    `, {"hash":"sha256:e3de112b04baeed53c773b8561a796fca32f3f8ff143e94aeb250322c2a26f22"}) as unknown as TypedDocumentString<CommunesQuery, CommunesQueryVariables>;
export const AroundDocument = new TypedDocumentString(`
    query Around($insee: INSEECode!, $radius: Float!, $first: Int!) {
  commune(insee: $insee) {
    id
    nom
    localisation {
      centre {
        coordinates
      }
    }
    missions(radius: $radius, first: $first) {
      ...MissionPage
    }
    jobSearch(radius: $radius) {
      truncated
      jobs {
        ...Offer
      }
    }
  }
}
    fragment MissionPage on CommuneMissionConnection {
  totalCount
  truncated
  pageInfo {
    hasNextPage
    endCursor
  }
  edges {
    distance
    address {
      city
      location {
        lon
        lat
      }
    }
    node {
      id
      title
      organizationName
    }
  }
}
fragment Offer on JobOffer {
  id
  offer {
    title
  }
  workplace {
    name
    location {
      address
      geopoint {
        coordinates
      }
    }
  }
}`, {"hash":"sha256:29a12748c3653b4d2e29ca44d3e489f73b3d97744158cb39fc34863b92da8a40"}) as unknown as TypedDocumentString<AroundQuery, AroundQueryVariables>;
export const MoreMissionsDocument = new TypedDocumentString(`
    query MoreMissions($insee: INSEECode!, $radius: Float!, $first: Int!, $after: String!) {
  commune(insee: $insee) {
    id
    missions(radius: $radius, first: $first, after: $after) {
      ...MissionPage
    }
  }
}
    fragment MissionPage on CommuneMissionConnection {
  totalCount
  truncated
  pageInfo {
    hasNextPage
    endCursor
  }
  edges {
    distance
    address {
      city
      location {
        lon
        lat
      }
    }
    node {
      id
      title
      organizationName
    }
  }
}`, {"hash":"sha256:fe9f6819668f30411e24775dbd3c3116306077708f6d08c2e73f17320e43577d"}) as unknown as TypedDocumentString<MoreMissionsQuery, MoreMissionsQueryVariables>;
export const OrganizationsDocument = new TypedDocumentString(`
    query Organizations($q: String!, $first: Int!, $after: String) {
  organizations(q: $q, first: $first, after: $after) {
    totalCount
    pageInfo {
      hasNextPage
      endCursor
    }
    nodes {
      id
      title
      addressCity
      commune {
        id
        localisation {
          centre {
            coordinates
          }
        }
      }
    }
  }
}
    `, {"hash":"sha256:3f24dc18e03695c025b7d5b057d5c587cfcd60704af3b25d1574c7b3b232f689"}) as unknown as TypedDocumentString<OrganizationsQuery, OrganizationsQueryVariables>;
export const MeDocument = new TypedDocumentString(`
    query Me {
  viewer {
    id
    name
    companies {
      id
      name
    }
  }
}
    `, {"hash":"sha256:17bbdebb5ade35967f22122500dd3d9d8cffbd4464edb873e24adc624159ecb1"}) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;