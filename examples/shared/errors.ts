/** An error of the gateway, as every client library passes it on. */
export interface GatewayError {
  readonly message: string;
  readonly path?: readonly (string | number)[] | undefined;
  /** `code`, and where they apply `service`, `requestId`, `retryAfterSeconds` and `argument`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined;
}

/** The errors of a field and of everything below it: `errorsAt(errors, 'commune', 'missions')`. */
export function errorsAt(errors: readonly GatewayError[], ...field: readonly string[]): readonly GatewayError[] {
  return errors.filter(({ path = [] }) => {
    // Indexes in lists are no part of a field's name.
    const names = path.filter((step) => typeof step === 'string');
    return names.every((name, depth) => depth >= field.length || name === field[depth]);
  });
}

/** The errors of an argument and of everything below it: `mistakesIn(errors, 'input', 'applicantPhone')`. */
export function mistakesIn(errors: readonly GatewayError[], ...argument: readonly string[]): readonly GatewayError[] {
  return errors.filter(({ extensions }) => {
    const path = extensions?.['argument'];
    return Array.isArray(path) && argument.every((step, depth) => path[depth] === step);
  });
}

/** The text for a user, by code. `docs/errors.md` lists all codes; those that mean nothing to a user share one text. */
export function explain({ message, extensions = {} }: GatewayError): string {
  const { code, service = 'the service', retryAfterSeconds = 60, requestId = 'unknown' } = extensions;
  switch (code) {
    case 'RATE_LIMITED':
      return `Too many searches at the moment: try again in ${retryAfterSeconds} seconds.`;
    case 'UPSTREAM_UNAVAILABLE':
    case 'UPSTREAM_TIMEOUT':
    case 'DEADLINE_EXCEEDED':
      return `No answer from ${service}: try again in a moment.`;
    case 'SOURCE_OFF':
      return `There is no access to ${service} here.`;
    case 'CREDENTIALS_REQUIRED':
    case 'RECONNECT_REQUIRED':
      return 'Log in to see this.';
    case 'BAD_USER_INPUT':
    case undefined:
      return message;
    default:
      return `This could not be read from ${service} (${code}, request ${requestId}).`;
  }
}

/** Texts for all errors, each once: a source that is down fails each of its fields. */
export function explainAll(errors: readonly GatewayError[]): readonly string[] {
  return [...new Set(errors.map(explain))];
}
