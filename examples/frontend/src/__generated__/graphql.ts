/* eslint-disable */
/** Internal type. DO NOT USE DIRECTLY. */
type Exact<T extends { [key: string]: unknown }> = { [K in keyof T]: T[K] };
/** Internal type. DO NOT USE DIRECTLY. */
export type Incremental<T> = T | { [P in keyof T]?: P extends ' $fragmentName' | '__typename' ? T[P] : never };
import type { DocumentTypeDecoration } from '@graphql-typed-document-node/core';
export type CommunesQueryVariables = Exact<{
  name: string;
}>;


export type CommunesQuery = { communesByName: Array<{ nom: string | null, code: { insee: string | null } | null } | null> | null };

export type AroundQueryVariables = Exact<{
  insee: string;
  radius: number;
}>;


export type AroundQuery = { commune: { nom: string | null, localisation: { centre: { coordinates: Array<number> | null } | null } | null, missions: { totalCount: number | null, truncated: boolean, pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ distance: number, address: { city: string | null, location: { lon: number | null, lat: number | null } | null }, node: { id: string, title: string | null, organizationName: string | null } | null } | null> | null } | null, jobSearch: { truncated: boolean | null, jobs: Array<{ id: string | null, offer: { title: string | null } | null, workplace: { name: string | null, location: { address: string | null, geopoint: { coordinates: Array<number> | null } | null } | null } | null } | null> | null } | null } | null };

export type MoreMissionsQueryVariables = Exact<{
  insee: string;
  radius: number;
  after: string;
}>;


export type MoreMissionsQuery = { commune: { missions: { totalCount: number | null, truncated: boolean, pageInfo: { hasNextPage: boolean, endCursor: string | null }, edges: Array<{ distance: number, address: { city: string | null, location: { lon: number | null, lat: number | null } | null }, node: { id: string, title: string | null, organizationName: string | null } | null } | null> | null } | null } | null };

export type OrganizationsQueryVariables = Exact<{
  q: string;
  after?: string | null | undefined;
}>;


export type OrganizationsQuery = { organizations: { totalCount: number | null, pageInfo: { hasNextPage: boolean, endCursor: string | null }, nodes: Array<{ id: string, title: string | null, addressCity: string | null, commune: { localisation: { centre: { coordinates: Array<number> | null } | null } | null } | null } | null> | null } | null };

export type MeQueryVariables = Exact<{ [key: string]: never; }>;


export type MeQuery = { viewer: { name: string | null, companies: Array<{ id: string | null } | null> | null } | null };

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
    code {
      insee
    }
    nom
  }
}
    `, {"hash":"sha256:63566fb11e95df5ac481c355a5d34eba90cab27bdacdc7927fb988149e81651f"}) as unknown as TypedDocumentString<CommunesQuery, CommunesQueryVariables>;
export const AroundDocument = new TypedDocumentString(`
    query Around($insee: INSEECode!, $radius: Float!) {
  commune(insee: $insee) {
    nom
    localisation {
      centre {
        coordinates
      }
    }
    missions(radius: $radius, first: 10) {
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
}`, {"hash":"sha256:209227f68619d13301f4b5e73e4285cce97f2d97b9d70ebe122bc460b05bb1d6"}) as unknown as TypedDocumentString<AroundQuery, AroundQueryVariables>;
export const MoreMissionsDocument = new TypedDocumentString(`
    query MoreMissions($insee: INSEECode!, $radius: Float!, $after: String!) {
  commune(insee: $insee) {
    missions(radius: $radius, first: 10, after: $after) {
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
}`, {"hash":"sha256:346770bd603bb20bffd37da193802634cd8fbd0a99f636b0a6a6d2f3e39837c6"}) as unknown as TypedDocumentString<MoreMissionsQuery, MoreMissionsQueryVariables>;
export const OrganizationsDocument = new TypedDocumentString(`
    query Organizations($q: String!, $after: String) {
  organizations(q: $q, first: 10, after: $after) {
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
        localisation {
          centre {
            coordinates
          }
        }
      }
    }
  }
}
    `, {"hash":"sha256:086089bc96bd82a18b8e3b021533eefec2d268a3a60ad90ad710b315abad00d3"}) as unknown as TypedDocumentString<OrganizationsQuery, OrganizationsQueryVariables>;
export const MeDocument = new TypedDocumentString(`
    query Me {
  viewer {
    name
    companies {
      id
    }
  }
}
    `, {"hash":"sha256:1eeb8bba48abd1130e21b822cad0440fa945229f2ef5ba42cb49eca0d49e7ad7"}) as unknown as TypedDocumentString<MeQuery, MeQueryVariables>;