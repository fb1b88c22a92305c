import { parseArgs } from 'node:util';

/**
 * Reads a script's options from its command line. `defaults` has each option's default: `false` for a switch, else a
 * number. `--help` prints the usage; an unknown or invalid option ends the process with 2.
 */
export function readArguments(usage, defaults) {
  const help = { type: 'boolean', short: 'h' };
  const options = Object.entries(defaults).map(([name, value]) => [
    name,
    { type: value === false ? 'boolean' : 'string' },
  ]);
  try {
    const { values } = parseArgs({ options: { help, ...Object.fromEntries(options) } });
    if (values.help) end(process.stdout, usage, 0);
    return Object.fromEntries(
      Object.entries(defaults).map(([name, value]) => [
        name,
        value === false ? values[name] === true : numberOf(name, values[name] ?? value),
      ]),
    );
  } catch (error) {
    return end(process.stderr, `${error.message.split('. ')[0]}.\n${usage}`, 2);
  }
}

function numberOf(name, value) {
  const number = value === '' ? Number.NaN : Number(value);
  if (Number.isFinite(number)) return number;
  throw new Error(`--${name} takes a number`);
}

function end(stream, text, code) {
  stream.write(`${text}\n`);
  process.exit(code);
}
