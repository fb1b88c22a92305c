import { createHash } from 'node:crypto';
import { type DocumentNode, type GraphQLFormattedError, type GraphQLSchema, parse } from 'graphql';
import type { Log } from '../../kernel/log.js';
import { ownTurn } from '../../runtime/event-loop/turns.js';
import { createTaskThread, type TaskThread } from '../../runtime/process/task-thread.js';
import { type GatewayRequest, settleInTime } from '../request/request.js';
import { createCallerQueue } from './caller-queue.js';
import { documentErrors, LIMITS } from './document-rules.js';
import type { DocumentWorkerData } from './document-worker.js';

/** What documents are checked with. */
export interface DocumentCheckOptions {
  /** The documents that were valid, by the hash of their text. */
  readonly documents: {
    has(hash: string): boolean;
    set(hash: string, document: DocumentNode): Promise<void>;
  };
  readonly schema: GraphQLSchema;
  /** The SDL of what clients may select. */
  readonly api: string;
  readonly introspection: boolean;
  readonly log: Log;
}

/** Checks documents before they are executed. */
export interface DocumentCheck {
  /**
   * Why a document is refused; empty for a valid one, which is then in the store. Rejects if the request ends before
   * that is known, and with TOO_MANY_REQUESTS if too many documents of the same caller are waiting.
   */
  errorsOf(text: string, gatewayRequest: GatewayRequest): Promise<readonly GraphQLFormattedError[]>;
  close(): Promise<void>;
}

/**
 * Longer texts, in characters, are validated in a thread: validating takes up to the square of a document's length. The
 * worst of this length take two milliseconds, the longest legal ones a hundred; a join of twenty takes a fifth.
 */
const LONG_TEXT = 2_000;

/** Limit on the thread's heap: the schema takes ten mebibytes. */
const HEAP_MB = 128;

/** Only the built program has the file that the thread runs. */
const SCRIPT = import.meta.url.endsWith('.js') ? new URL('./document-worker.js', import.meta.url) : null;

/** Checks each new document once, those of one caller one after another. A known document does not wait. */
export function createDocumentCheck(options: DocumentCheckOptions): DocumentCheck {
  const { documents, schema, api, introspection, log } = options;
  const data: DocumentWorkerData = { api, introspection };
  const thread: TaskThread<string, readonly GraphQLFormattedError[]> | null =
    SCRIPT && createTaskThread({ script: SCRIPT, data, heapMb: HEAP_MB, name: 'validation', log });
  const inTurn = createCallerQueue();

  async function validate(text: string, gatewayRequest: GatewayRequest): Promise<readonly GraphQLFormattedError[]> {
    const found = text.length > LONG_TEXT ? ((await thread?.run(text)) ?? null) : null;
    await ownTurn(gatewayRequest);
    return found ?? documentErrors(schema, text, introspection);
  }

  return {
    async errorsOf(text, gatewayRequest) {
      const hash = createHash('sha256').update(text).digest('hex');
      if (documents.has(hash)) return VALID;
      const checked = inTurn(gatewayRequest, async () => {
        if (documents.has(hash)) return VALID;
        const errors = await validate(text, gatewayRequest);
        // Without locations, whose tokens take more memory than all the rest.
        if (errors.length === 0) await documents.set(hash, parse(text, PARSED));
        return errors;
      });
      return settleInTime(checked, gatewayRequest);
    },
    close: async () => thread?.close(),
  };
}

const VALID: readonly GraphQLFormattedError[] = [];

const PARSED = { noLocation: true, maxTokens: LIMITS.tokens };
