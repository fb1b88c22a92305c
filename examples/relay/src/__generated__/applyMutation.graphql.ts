/**
 * @generated SignedSource<<f1005f49c8d0d6808ec4d1ef5078374b>>
 * @relayHash 5d4262ba68384d79294aea7e64630d32
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

// @relayRequestID 46112b29cbb71137c0d0655ed3d932a00ab21cd0a7b729d405838a9967b9b5a7

import { ConcreteRequest } from 'relay-runtime';
export type ApplicationInput = {
  applicantAttachmentContent: string;
  applicantAttachmentName: string;
  applicantEmail: string;
  applicantFirstName: string;
  applicantLastName: string;
  applicantMessage?: string | null | undefined;
  applicantPhone: string;
  recipientId: string;
};
export type applyMutation$variables = {
  input: ApplicationInput;
};
export type applyMutation$data = {
  readonly applyToJob: {
    readonly id: string | null | undefined;
    readonly userErrors: ReadonlyArray<{
      readonly field: ReadonlyArray<string>;
      readonly message: string;
    }>;
  } | null | undefined;
};
export type applyMutation = {
  response: applyMutation$data;
  variables: applyMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": "ApplicationPayload",
    "kind": "LinkedField",
    "name": "applyToJob",
    "plural": false,
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
        "concreteType": "UserError",
        "kind": "LinkedField",
        "name": "userErrors",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "message",
            "storageKey": null
          },
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "field",
            "storageKey": null
          }
        ],
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
    "name": "applyMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "applyMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "id": "46112b29cbb71137c0d0655ed3d932a00ab21cd0a7b729d405838a9967b9b5a7",
    "metadata": {},
    "name": "applyMutation",
    "operationKind": "mutation",
    "text": null
  }
};
})();

(node as any).hash = "67a03cb33086f20925c3ffa14830369b";

export default node;
