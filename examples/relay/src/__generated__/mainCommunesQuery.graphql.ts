/**
 * @generated SignedSource<<89b7335d7804e867f66b5cbfcfd7c8f8>>
 * @relayHash 35294b4a12cbae0417726f3e39c15f64
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID ccd4ea82cb4499b8b544df26b11c9c74edf11114ce3c3ee5f87d74f40a9663e0

import { ConcreteRequest } from 'relay-runtime';
export type mainCommunesQuery$variables = {
  name: string;
};
export type mainCommunesQuery$data = {
  readonly communesByName: ReadonlyArray<{
    readonly code: {
      readonly insee: string | null | undefined;
    } | null | undefined;
    readonly id: string;
    readonly nom: string | null | undefined;
  } | null | undefined> | null | undefined;
};
export type mainCommunesQuery = {
  response: mainCommunesQuery$data;
  variables: mainCommunesQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "name"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Literal",
        "name": "first",
        "value": 8
      },
      {
        "kind": "Variable",
        "name": "name",
        "variableName": "name"
      }
    ],
    "concreteType": "Commune",
    "kind": "LinkedField",
    "name": "communesByName",
    "plural": true,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "id",
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "concreteType": "CommuneCode",
        "kind": "LinkedField",
        "name": "code",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "insee",
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "nom",
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "mainCommunesQuery",
    "selections": (v1/*:: as any*/),
    "type": "Query",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "mainCommunesQuery",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "ccd4ea82cb4499b8b544df26b11c9c74edf11114ce3c3ee5f87d74f40a9663e0",
    "metadata": {},
    "name": "mainCommunesQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "c673693ad403cc8a4a6be3196c083e13";

export default node;
