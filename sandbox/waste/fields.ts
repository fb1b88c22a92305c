import { parse } from 'node:querystring';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isRecord } from '../world/types.js';

/** The fields of a form or JSON body; may be empty. */
export type Fields = Readonly<Record<string, unknown>>;

/** Reads bodies as the platform's parsers do: forms and JSON. Anything else, multipart included, stays a text. */
export function parseBodies(app: FastifyInstance): void {
  const parseJson = app.getDefaultJsonParser('ignore', 'ignore');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body: string, done) =>
    body === '' ? done(null, {}) : parseJson(request, body, done),
  );
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body: string, done) =>
    done(null, parse(body)),
  );
  app.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
}

/** The fields of a request's body (waste-identity 4.1). */
export function fieldsOf({ body }: FastifyRequest): Fields {
  return isRecord(body) ? body : {};
}

/** The refusal of JSON that cannot be parsed (waste-identity 4.3). */
export const MALFORMED = 'JSON mal formaté ou invalide';

/** Sends JSON with a type of its own: as bytes, because fastify would add a charset to the type of a text. */
export function sendJson(reply: FastifyReply, status: number, body: object, type = 'application/json'): FastifyReply {
  return reply
    .code(status)
    .type(type)
    .send(Buffer.from(JSON.stringify(body)));
}
