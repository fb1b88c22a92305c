/**
 * @generated SignedSource<<fcbfd86c6962db577345405e79110b38>>
 * @relayHash 83e124b7e2155a78504f4c54c5205a53
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ec06f67dbd61b68b0f425a5a37c483059ee70f9561242f92f77e072442e5692e

import { ConcreteRequest } from 'relay-runtime';
import { Result } from "relay-runtime";
export type mainMeQuery$variables = Record<PropertyKey, never>;
export type mainMeQuery$data = {
  readonly viewer: Result<{
    readonly name: string | null | undefined;
  } | null | undefined, unknown>;
};
export type mainMeQuery = {
  response: mainMeQuery$data;
  variables: mainMeQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "name",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": [],
    "kind": "Fragment",
    "metadata": null,
    "name": "mainMeQuery",
    "selections": [
      {
        "kind": "CatchField",
        "field": {
          "alias": null,
          "args": null,
          "concreteType": "Viewer",
          "kind": "LinkedField",
          "name": "viewer",
          "plural": false,
          "selections": [
            (v0/*:: as any*/)
          ],
          "storageKey": null
        },
        "to": "RESULT"
      }
    ],
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": [],
    "kind": "Operation",
    "name": "mainMeQuery",
    "selections": [
      {
        "alias": null,
        "args": null,
        "concreteType": "Viewer",
        "kind": "LinkedField",
        "name": "viewer",
        "plural": false,
        "selections": [
          (v0/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "id": "ec06f67dbd61b68b0f425a5a37c483059ee70f9561242f92f77e072442e5692e",
    "metadata": {},
    "name": "mainMeQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "15f22c9ec1e91b16611f72008d1c2b60";

export default node;
