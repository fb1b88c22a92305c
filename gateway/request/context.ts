import type { DocumentNode, GraphQLError, GraphQLSchema, OperationDefinitionNode } from 'graphql';
import type { Omissions } from '../../runtime/errors.js';
import type { GatewayRequest } from './request.js';
import type { PlanRecorder } from './trace.js';

/**
 * The context that Apollo passes from the endpoint to the sources. Apollo copies it with `Object.assign`, so it holds
 * references and no getters: all copies share one `caller`.
 */
export interface GatewayContext {
  readonly gatewayRequest: GatewayRequest;
  /** Null unless the caller gets a trace. */
  readonly recorder: PlanRecorder | null;
  /** Errors that the response does not list. */
  readonly omissions: Omissions;
  /** Receives the operation before it is planned, and refuses it by throwing. Absent if nobody needs it. */
  readonly resolved?: (operation: ResolvedOperation) => void | Promise<void>;
  /** Receives all errors that the response lists, including details that clients do not see. */
  readonly onErrors?: (errors: readonly GraphQLError[]) => void;
}

/** A validated operation of the API schema, with its variables as they were sent. */
export interface ResolvedOperation {
  readonly schema: GraphQLSchema;
  /** The document as the client sent it. */
  readonly text: string;
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** The context that the endpoint created, from Apollo's untyped record. */
export function contextOf(context: Record<string, unknown>): GatewayContext {
  // The endpoint creates each operation's context; Apollo Server only passes it on.
  return context as unknown as GatewayContext;
}
