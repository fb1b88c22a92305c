import { describe, expect, test } from 'vitest';
import { helpText, readCommand } from '../../runtime/configuration/command-line.js';

const CALLBACK = 'http://127.0.0.1:4100/auth/waste/callback';

describe('The command line', () => {
  test.each([
    [[], { kind: 'run', role: 'all', scale: 1 }],
    [['gateway'], { kind: 'run', role: 'gateway', scale: 1 }],
    [['subgraph', 'volunteering'], { kind: 'run', role: 'volunteering', scale: 1 }],
    [['sandbox', '--scale', '10'], { kind: 'sandbox', scale: 10, port: null, redirectUri: null }],
    [['sandbox', '--redirect-uri', CALLBACK], { kind: 'sandbox', scale: 1, port: null, redirectUri: CALLBACK }],
    [['--scale', '0.5'], { kind: 'run', role: 'all', scale: 0.5 }],
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
    [['--scale', '-1'], '--scale'],
    [['--scale', 'many'], '--scale'],
    [['--port', '1'], '--port is for the sandbox alone: set PORT.'],
    [['--prot', '1'], /^There is no option --prot\.$/],
    [['--scale'], /^Option '--scale <value>' argument missing\.$/],
  ])('%j is a mistake that says what is wrong', (args, said) => {
    const command = readCommand(args);
    expect(command.kind).toBe('mistake');
    expect(command).toMatchObject({
      message: typeof said === 'string' ? expect.stringContaining(said) : expect.stringMatching(said),
    });
  });

  test('help names every way to start and every variable', () => {
    for (const part of ['npm start', 'start:gateway', 'start:subgraph', '--scale', 'WORK_STUDY_URL', 'CACHE_URL']) {
      expect(helpText()).toContain(part);
    }
  });
});
