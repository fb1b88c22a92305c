import { BodyTooLarge } from '../../server/body.js';
import type { Reply } from '../../server/reply.js';
import type { ServiceRequest } from '../../server/routes.js';
import { apiError } from './errors.js';

/** The parsed JSON body, or the framework's refusal in envelope A (work-study 5.1). */
export async function readJsonBody(
  request: ServiceRequest,
  limit: number,
): Promise<{ readonly value: unknown } | { readonly refusal: Reply }> {
  const bytes = await readWithin(request, limit);
  if (bytes === undefined) {
    return refusal(413, 'Request body is too large', 'FST_ERR_CTP_BODY_TOO_LARGE');
  }
  const type = request.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type === undefined) {
    return bytes.length === 0 ? { value: undefined } : unsupported();
  }
  if (type === 'text/plain') return { value: bytes.toString() };
  if (type !== 'application/json') return unsupported();
  if (bytes.length === 0) {
    const message = "Body cannot be empty when content-type is set to 'application/json'";
    return refusal(400, message, 'FST_ERR_CTP_EMPTY_JSON_BODY');
  }
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return { value };
  } catch {
    const message = "Body is not valid JSON but content-type is set to 'application/json'";
    return refusal(400, message, 'FST_ERR_CTP_INVALID_JSON_BODY');
  }
}

async function readWithin(request: ServiceRequest, limit: number): Promise<Buffer | undefined> {
  try {
    return await request.readBody(limit);
  } catch (error) {
    if (error instanceof BodyTooLarge) return undefined;
    throw error;
  }
}

function unsupported() {
  return refusal(415, 'Unsupported Media Type', 'FST_ERR_CTP_INVALID_MEDIA_TYPE');
}

function refusal(status: number, message: string, code: string): { readonly refusal: Reply } {
  return { refusal: apiError(status, message, { rawError: { code, statusCode: status, message } }) };
}
