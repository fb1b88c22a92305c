import { parseArgs } from 'node:util';
import { SERVICES } from '../../kernel/services.js';
import { variablesText } from './configuration-variables.js';
import type { Role } from './role.js';

/** What the sandbox is like, as `--help` describes it; null where its own default is wanted. */
export interface SandboxFlags {
  readonly size: 'small' | 'real';
  readonly employersKnown: number | null;
  readonly diesAbove: number | null;
  readonly keysWithoutRules: readonly string[];
}

/** A command from the command line. */
export type Command =
  | { readonly kind: 'run'; readonly role: Role; readonly flags: SandboxFlags }
  | { readonly kind: 'check-config' | 'print-config'; readonly role: Role }
  | {
      readonly kind: 'sandbox';
      readonly flags: SandboxFlags;
      readonly redirectUri: string | null;
      /** The first of its four ports; null for any free ones. */
      readonly port: number | null;
    }
  | { readonly kind: 'help' }
  | { readonly kind: 'mistake'; readonly message: string };

/** The sandbox takes this port and the three after it. */
const LAST_PORT = 65_532;

/** Reads the arguments after the program's name. Never throws: what cannot be understood is a `mistake`. */
export function readCommand(args: readonly string[]): Command {
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        'check-config': { type: 'boolean', default: false },
        'print-config': { type: 'boolean', default: false },
        size: { type: 'string', default: 'small' },
        'employers-known': { type: 'string', default: '' },
        'dies-above': { type: 'string', default: '' },
        'without-rules': { type: 'string', multiple: true, default: [] },
        'redirect-uri': { type: 'string' },
        port: { type: 'string' },
      },
    });
    if (values.help) return { kind: 'help' };
    const { size, 'employers-known': share, 'dies-above': rows, 'without-rules': keysWithoutRules } = values;
    if (size !== 'small' && size !== 'real') return { kind: 'mistake', message: '--size is small or real.' };
    if (!(Number(share) < 1)) return { kind: 'mistake', message: '--employers-known is a share, such as 0.03.' };
    if (!/^\d*$/.test(rows)) return { kind: 'mistake', message: '--dies-above is a number of rows.' };
    const [employersKnown, diesAbove] = [Number(share) || null, Number(rows) || null];
    const flags: SandboxFlags = { size, employersKnown, diesAbove, keysWithoutRules };
    const role = readRole(positionals);
    const tooMany = positionals[positionals[0] === 'subgraph' ? 2 : 1];
    if (role === null) return { kind: 'mistake', message: mistakeOf(positionals) };
    if (tooMany !== undefined) return { kind: 'mistake', message: `${tooMany} is an unexpected argument.` };
    const redirectUri = values['redirect-uri'] ?? null;
    if (role === 'sandbox') {
      const looks = values['check-config'] || values['print-config'];
      if (looks) return { kind: 'mistake', message: 'The sandbox reads no configuration.' };
      if (redirectUri !== null && !/^https?:$/.test(URL.canParse(redirectUri) ? new URL(redirectUri).protocol : ''))
        return { kind: 'mistake', message: '--redirect-uri is an http or https address.' };
      const port = values.port === undefined ? null : Number(values.port);
      if (port !== null && !(Number.isInteger(port) && port > 0 && port <= LAST_PORT))
        return { kind: 'mistake', message: `--port is a number from 1 to ${LAST_PORT}.` };
      return { kind: 'sandbox', flags, redirectUri, port };
    }
    if (values.port !== undefined) return { kind: 'mistake', message: '--port is for the sandbox alone: set PORT.' };
    if (redirectUri !== null) return { kind: 'mistake', message: '--redirect-uri is for the sandbox alone.' };
    if (values['check-config']) return { kind: 'check-config', role };
    if (values['print-config']) return { kind: 'print-config', role };
    return { kind: 'run', role, flags };
  } catch (error) {
    return { kind: 'mistake', message: problemOf(error) };
  }
}

/** What `--help` prints: commands, options and every variable. */
export function helpText(): string {
  return `Usage:
  npm start                               gateway and subgraphs in one process
  npm run start:gateway                   the gateway alone; subgraphs at SUBGRAPH_…_URL
  npm run start:subgraph -- SERVICE       only one subgraph: ${SERVICES.join(', ')}
  npm run sandbox                         the sandbox's three services alone

Options, behind \`--\`:
  --size SIZE                             of the sandbox's data: small (default), or real, as large as the services
  --employers-known SHARE                 of the sandbox's employers that have organizations, such as 0.03
  --dies-above ROWS                       in flight: the sandbox's volunteering service ends for five seconds
  --without-rules KEY                     operator, alice or bob: its volunteering key shows no mission
  --redirect-uri URL                      address that the sandbox alone lets logins return to, beside that of
                                          port 4000: the gateway's, with /auth/waste/callback
  --port N                                first of the sandbox's four ports, so that its addresses stay the same
  --check-config                          check the variables and the files that they name, and end: 0, or 1 and why
  --print-config                          print every variable as it is read, secrets as "(set)", and end
  --help                                  this text

Environment:

${variablesText()}`;
}

/** The parser's own messages lack a full stop, and suggest passing a positional argument that no command takes. */
function problemOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const [option] = /--?[\w-]+/.exec(message) ?? [];
  if (code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION') return `There is no option ${option}.`;
  return code === 'ERR_PARSE_ARGS_INVALID_OPTION_VALUE' ? `${message.split('\n')[0]}.` : message;
}

function readRole([command, service]: readonly string[]): Role | 'sandbox' | null {
  if (command === undefined) return 'all';
  if (command === 'gateway' || command === 'sandbox') return command;
  return command === 'subgraph' ? (SERVICES.find((name) => name === service) ?? null) : null;
}

function mistakeOf([command, service]: readonly string[]): string {
  return command === 'subgraph'
    ? `A subgraph is one of ${SERVICES.join(', ')}${service === undefined ? '' : `, not ${service}`}.`
    : `There is no command ${command}.`;
}
