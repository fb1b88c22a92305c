/**
 * @generated SignedSource<<36a0d44dd3917e93462c28ac56e7dd36>>
 * @relayHash f724b5d3c497ba56022130265832c7c5
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 37461c300e2526cc921577d78fd1ccc685a1d7d6f782db5fd9bfab658b0f64ab

import { ConcreteRequest } from 'relay-runtime';
import { FragmentRefs, Result } from "relay-runtime";
export type aroundQuery$variables = {
  first: number;
  insee: string;
  radius: number;
};
export type aroundQuery$data = {
  readonly commune: {
    readonly jobSearch: Result<{
      readonly jobs: ReadonlyArray<{
        readonly apply: {
          readonly recipientId: string | null | undefined;
        } | null | undefined;
        readonly id: string | null | undefined;
        readonly offer: {
          readonly title: string | null | undefined;
        } | null | undefined;
        readonly workplace: {
          readonly name: string | null | undefined;
        } | null | undefined;
      } | null | undefined> | null | undefined;
    } | null | undefined, unknown>;
    readonly missions: Result<{
      readonly totalCount: number | null | undefined;
    } | null | undefined, unknown>;
    readonly " $fragmentSpreads": FragmentRefs<"around_missions">;
  } | null | undefined;
};
export type aroundQuery = {
  response: aroundQuery$data;
  variables: aroundQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "first"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "insee"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "radius"
},
v3 = [
  {
    "kind": "Variable",
    "name": "insee",
    "variableName": "insee"
  }
],
v4 = {
  "kind": "Variable",
  "name": "radius",
  "variableName": "radius"
},
v5 = [
  {
    "kind": "Variable",
    "name": "first",
    "variableName": "first"
  },
  (v4/*:: as any*/)
],
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "totalCount",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v8 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
},
v9 = {
  "alias": null,
  "args": [
    (v4/*:: as any*/)
  ],
  "concreteType": "JobSearchResult",
  "kind": "LinkedField",
  "name": "jobSearch",
  "plural": false,
  "selections": [
    {
      "alias": null,
      "args": null,
      "concreteType": "JobOffer",
      "kind": "LinkedField",
      "name": "jobs",
      "plural": true,
      "selections": [
        (v7/*:: as any*/),
        {
          "alias": null,
          "args": null,
          "concreteType": "JobOfferDetails",
          "kind": "LinkedField",
          "name": "offer",
          "plural": false,
          "selections": [
            (v8/*:: as any*/)
          ],
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Workplace",
          "kind": "LinkedField",
          "name": "workplace",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "name",
              "storageKey": null
            }
          ],
          "storageKey": null
        },
        {
          "alias": null,
          "args": null,
          "concreteType": "Apply",
          "kind": "LinkedField",
          "name": "apply",
          "plural": false,
          "selections": [
            {
              "alias": null,
              "args": null,
              "kind": "ScalarField",
              "name": "recipientId",
              "storageKey": null
            }
          ],
          "storageKey": null
        }
      ],
      "storageKey": null
    }
  ],
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "aroundQuery",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "Commune",
        "kind": "LinkedField",
        "name": "commune",
        "plural": false,
        "selections": [
          {
            "kind": "CatchField",
            "field": {
              "alias": null,
              "args": (v5/*:: as any*/),
              "concreteType": "CommuneMissionConnection",
              "kind": "LinkedField",
              "name": "missions",
              "plural": false,
              "selections": [
                (v6/*:: as any*/)
              ],
              "storageKey": null
            },
            "to": "RESULT"
          },
          {
            "kind": "CatchField",
            "field": (v9/*:: as any*/),
            "to": "RESULT"
          },
          {
            "args": (v5/*:: as any*/),
            "kind": "FragmentSpread",
            "name": "around_missions"
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v2/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "aroundQuery",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "Commune",
        "kind": "LinkedField",
        "name": "commune",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": (v5/*:: as any*/),
            "concreteType": "CommuneMissionConnection",
            "kind": "LinkedField",
            "name": "missions",
            "plural": false,
            "selections": [
              (v6/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": "CommuneMissionEdge",
                "kind": "LinkedField",
                "name": "edges",
                "plural": true,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": "Mission",
                    "kind": "LinkedField",
                    "name": "node",
                    "plural": false,
                    "selections": [
                      (v7/*:: as any*/),
                      (v8/*:: as any*/),
                      {
                        "alias": null,
                        "args": null,
                        "kind": "ScalarField",
                        "name": "__typename",
                        "storageKey": null
                      }
                    ],
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "cursor",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              },
              {
                "alias": null,
                "args": null,
                "concreteType": "PageInfo",
                "kind": "LinkedField",
                "name": "pageInfo",
                "plural": false,
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "endCursor",
                    "storageKey": null
                  },
                  {
                    "alias": null,
                    "args": null,
                    "kind": "ScalarField",
                    "name": "hasNextPage",
                    "storageKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          },
          {
            "alias": null,
            "args": (v5/*:: as any*/),
            "filters": [
              "radius"
            ],
            "handle": "connection",
            "key": "around_missions",
            "kind": "LinkedHandle",
            "name": "missions"
          },
          (v9/*:: as any*/),
          (v7/*:: as any*/)
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "37461c300e2526cc921577d78fd1ccc685a1d7d6f782db5fd9bfab658b0f64ab",
    "metadata": {},
    "name": "aroundQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "8e375923efc32ce9638e4c0aa1c1e835";

export default node;
