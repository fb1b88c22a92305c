import { createHash } from 'node:crypto';
import type { GraphQLFormattedError } from 'graphql';
import type { GatewayRequest } from '../../request/request.js';
import { settleInTime } from '../../request/settle-in-time.js';
import type { CallerQueue } from './caller-queue.js';

/** What documents are checked with. */
export interface DocumentCheckOptions {
  /** The documents that were valid, by the hash of their text. */
  readonly documents: { has(hash: string): boolean };
  readonly inTurn: CallerQueue;
  validate(text: string, gatewayRequest: GatewayRequest): Promise<readonly GraphQLFormattedError[]>;
}

/** Why a document is refused; empty for a valid one. Rejects if the request ends before that is known. */
export type CheckDocument = (text: string, gatewayRequest: GatewayRequest) => Promise<readonly GraphQLFormattedError[]>;

/** Checks each new document once, those of one caller one after another. A known document does not wait. */
export function createDocumentCheck({ documents, inTurn, validate }: DocumentCheckOptions): CheckDocument {
  return async (text, gatewayRequest) => {
    const hash = createHash('sha256').update(text).digest('hex');
    if (documents.has(hash)) return VALID;
    const checked = inTurn(gatewayRequest, async () => (documents.has(hash) ? VALID : validate(text, gatewayRequest)));
    return settleInTime(checked, gatewayRequest);
  };
}

const VALID: readonly GraphQLFormattedError[] = [];
