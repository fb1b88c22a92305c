import type { ConfigurationReader } from './configuration-reader.js';
import { percentDecoded } from './percent-decoded.js';
import { defaultTraceName, type Role } from './role.js';

/** Where traces are sent. */
export interface TracesConfiguration {
  readonly endpoint: string;
  readonly serviceName: string;
  /** Share of the traces that are sent, from 0 to 1. */
  readonly ratio: number;
}

/** Null where no traces are sent. */
export function readOtlp(read: ConfigurationReader, role: Role): TracesConfiguration | null {
  const endpoint = read.address('OTEL_EXPORTER_OTLP_ENDPOINT');
  const headers = read.text('OTEL_EXPORTER_OTLP_HEADERS');
  if (headers !== null && !headers.split(',').every(isHeader)) {
    read.mistake('OTEL_EXPORTER_OTLP_HEADERS must be name=value, percent-encoded, with commas between several');
  }
  const ratio = Number(read.text('OTEL_TRACES_SAMPLER_ARG') ?? 1);
  if (!(ratio >= 0 && ratio <= 1)) read.mistake('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1');
  if (endpoint === null) return null;
  return { endpoint, serviceName: read.text('OTEL_SERVICE_NAME') ?? defaultTraceName(role), ratio };
}

/**
 * Whether the exporter, which reads the variable itself, accepts one header: it decodes both sides, ignoring blanks.
 */
function isHeader(text: string): boolean {
  if (text.trim() === '') return true;
  const [name = '', ...value] = text.split('=').map((part) => part.trim());
  return Boolean(percentDecoded(name) && percentDecoded(value.join('=')));
}
