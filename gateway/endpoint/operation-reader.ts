import type { FastifyRequest } from 'fastify';
import type { Log } from '../../kernel/log.js';
import { ROW_FORMATS } from '../../rows/formats.js';
import { oneHeader } from '../../runtime/http/request-headers.js';
import { type RowRequest, readRowRequest } from '../files/row-request.js';
import type { CrossOrigin } from '../http/cross-origin.js';
import { chooseResponseType, type ResponseType } from '../http/negotiation.js';
import { type GraphqlParameters, readBodyParameters, readQueryParameters } from '../http/parameters.js';
import { RequestError } from '../http/request-error.js';
import type { SafelistPolicy } from '../limits/safelist.js';
import { allowListed } from './allow-listed.js';
import type { RequestMetrics } from './request-report.js';

interface OperationReaderOptions {
  readonly crossOrigin: CrossOrigin;
  readonly safelist: SafelistPolicy | null;
  readonly log: Log;
  readonly metrics: RequestMetrics | null;
}

/** The operation of a request, and the form of its response. */
export interface IncomingOperation {
  readonly parameters: GraphqlParameters;
  readonly type: ResponseType;
  /** Null unless a file of rows is requested. */
  readonly rows: RowRequest | null;
}

/**
 * Creates a function that reads an operation from URL, headers and body. It throws a RequestError or CodedError if there
 * is none or it may not be sent.
 */
export function createOperationReader(options: OperationReaderOptions) {
  const { crossOrigin, safelist } = options;

  function readParameters(request: FastifyRequest, search: URLSearchParams): GraphqlParameters {
    const parameters = isGet(request) ? readQueryParameters(search) : readBodyParameters(request.body);
    return safelist === null ? parameters : allowListed(parameters, safelist, options);
  }

  return (request: FastifyRequest): IncomingOperation => {
    crossOrigin.refuseBlindRequest(request.headers);
    const search = searchOf(request);
    const rows = readRowRequest(oneHeader(request.headers, 'accept'), search);
    const type = rows === null ? responseType(request) : 'application/json';
    return { parameters: readParameters(request, search), type, rows };
  };
}

/** Whether the operation is in the URL: `HEAD` is handled like `GET`. */
export function isGet({ method }: FastifyRequest): boolean {
  return method !== 'POST';
}

function searchOf({ url }: FastifyRequest): URLSearchParams {
  const from = url.indexOf('?');
  return new URLSearchParams(from < 0 ? '' : url.slice(from));
}

function responseType({ headers }: FastifyRequest): ResponseType {
  const type = chooseResponseType(oneHeader(headers, 'accept'));
  if (type !== null) return type;
  const rows = [...new Set(ROW_FORMATS.map(({ mediaType }) => mediaType))].join(', ');
  throw new RequestError(406, `Responses are application/graphql-response+json or application/json; rows are ${rows}.`);
}
