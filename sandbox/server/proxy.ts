import { pipeline, Readable } from 'node:stream';
import { createGzip, gzipSync } from 'node:zlib';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Payload } from './call.js';

/** Sends the page of a proxy in front of the service: never JSON. */
export function sendProxyPage(reply: FastifyReply, status: number, title: string): FastifyReply {
  const page = `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body>\r\n<center><h1>${status} ${title}</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
  return reply.code(status).type('text/html').send(page);
}

/** Smallest JSON body, in bytes, that the proxy compresses (work-study 2, "Compression"). */
const GZIP_FROM = 256;

/** Compresses a JSON payload, if it is long enough, for clients that accept gzip. */
export function compressJson(request: FastifyRequest, reply: FastifyReply, payload: Payload): Payload {
  if (!reply.getHeader('content-type')?.toString().startsWith('application/json')) return payload;
  const accepted = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
  if (payload instanceof Readable) {
    if (!accepted) return payload;
    reply.header('content-encoding', 'gzip');
    // A client that leaves destroys both streams.
    return pipeline(payload, createGzip({ level: 1 }), () => undefined);
  }
  if (payload === undefined || payload === null || Buffer.byteLength(payload) < GZIP_FROM) return payload;
  const vary = reply.getHeader('vary');
  reply.header('vary', vary === undefined ? 'Accept-Encoding' : `${vary}, Accept-Encoding`);
  if (!accepted) return payload;
  reply.header('content-encoding', 'gzip');
  return gzipSync(payload, { level: 1 });
}
