import { describe, expect, test } from 'vitest';
import { helpText, readCommand } from '../../runtime/configuration/command-line.js';

const CALLBACK = 'http://127.0.0.1:4100/auth/waste/callback';

const USUAL = { size: 'small', employersKnown: null, diesAbove: null, keysWithoutRules: [] };

describe('The command line', () => {
  test.each([
    [[], { kind: 'run', role: 'all', flags: USUAL }],
    [['gateway'], { kind: 'run', role: 'gateway', flags: USUAL }],
    [['subgraph', 'volunteering'], { kind: 'run', role: 'volunteering', flags: USUAL }],
    [
      ['sandbox', '--size', 'real'],
      { kind: 'sandbox', flags: { ...USUAL, size: 'real' }, port: null, redirectUri: null },
    ],
    [['sandbox', '--redirect-uri', CALLBACK], { kind: 'sandbox', flags: USUAL, port: null, redirectUri: CALLBACK }],
    [
      ['--employers-known', '0.03', '--dies-above', '5000', '--without-rules', 'alice'],
      {
        kind: 'run',
        role: 'all',
        flags: { ...USUAL, employersKnown: 0.03, diesAbove: 5000, keysWithoutRules: ['alice'] },
      },
    ],
    [['subgraph', 'volunteering', '--check-config'], { kind: 'check-config', role: 'volunteering' }],
    [['subgraph', 'x', '--help'], { kind: 'help' }],
  ])('%j is understood', (args, command) => {
    expect(readCommand(args)).toEqual(command);
  });

  test.each([
    [['subgraph'], 'work-study, waste-identity, volunteering'],
    [['subgraph', 'x'], 'not x'],
    [['serve'], 'serve'],
    [['serve', 'gateway'], 'no command serve'],
    [['gateway', 'extra', '--check-config'], 'extra is an unexpected argument'],
    [['subgraph', 'work-study', 'volunteering'], 'volunteering is an unexpected argument'],
    [['sandbox', 'volunteering'], 'volunteering is an unexpected argument'],
    [['sandbox', '--check-config'], 'The sandbox reads no configuration'],
    [['sandbox', '--print-config'], 'The sandbox reads no configuration'],
    [['sandbox', '--redirect-uri', '/auth/waste/callback'], '--redirect-uri is an http'],
    [['gateway', '--redirect-uri', CALLBACK], '--redirect-uri is for the sandbox'],
    [['--size', 'many'], '--size is small or real'],
    [['--dies-above', 'many'], '--dies-above'],
    [['--employers-known', '2'], '--employers-known'],
    [['--port', '1'], '--port is for the sandbox alone: set PORT.'],
    [['--prot', '1'], /^There is no option --prot\.$/],
    [['--size'], /^Option '--size <value>' argument missing\.$/],
  ])('%j is a mistake that says what is wrong', (args, said) => {
    const command = readCommand(args);
    expect(command.kind).toBe('mistake');
    expect(command).toMatchObject({
      message: typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    });
  });

  test('help names every way to start and every variable', () => {
    for (const part of ['npm start', 'start:gateway', 'start:subgraph', '--size', 'WORK_STUDY_URL', 'CACHE_URL']) {
      expect(helpText()).toContain(part);
    }
  });
});
