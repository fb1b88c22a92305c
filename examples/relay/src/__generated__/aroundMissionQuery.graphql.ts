/**
 * @generated SignedSource<<d43f0a84a077fe7716d8081ad6228f9f>>
 * @relayHash 6925e7d353c4d38fd82d14bc9d74bb6e
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID dc0dee3d4a4b486bf67e77f930d1a60c881301a322ae51002d9c452ff030d4f1

import { ConcreteRequest } from 'relay-runtime';
import { Result } from "relay-runtime";
export type aroundMissionQuery$variables = {
  id: string;
};
export type aroundMissionQuery$data = {
  readonly mission: Result<{
    readonly description: string | null | undefined;
    readonly organizationName: string | null | undefined;
    readonly title: string | null | undefined;
  } | null | undefined, unknown>;
};
export type aroundMissionQuery = {
  response: aroundMissionQuery$data;
  variables: aroundMissionQuery$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "id",
    "variableName": "id"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "title",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "organizationName",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "description",
  "storageKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "aroundMissionQuery",
    "selections": [
      {
        "kind": "CatchField",
        "field": {
          "alias": null,
          "args": (v1/*:: as any*/),
          "concreteType": "Mission",
          "kind": "LinkedField",
          "name": "mission",
          "plural": false,
          "selections": [
            (v2/*:: as any*/),
            (v3/*:: as any*/),
            (v4/*:: as any*/)
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
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "aroundMissionQuery",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "Mission",
        "kind": "LinkedField",
        "name": "mission",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/),
          (v4/*:: as any*/),
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
    "id": "dc0dee3d4a4b486bf67e77f930d1a60c881301a322ae51002d9c452ff030d4f1",
    "metadata": {},
    "name": "aroundMissionQuery",
    "operationKind": "query",
    "text": null
  }
};
})();

(node as any).hash = "2649b684f325c6f3c5d9e915b908be38";

export default node;
