import { expect, it } from '@jest/globals';
import type { Command } from 'commander';
import type { CommandContext } from './command-context.js';
import { program } from './program.js';

const ENDING = { exit: () => undefined, explain: () => undefined };

it('Each command that changes something asks for a confirmation and has the option --yes, and the others change nothing', async () => {
  const root = await program(await namesOfAll(), {} as CommandContext, ENDING);
  const commands = leavesOf(root).map(({ name, command }) => ({
    name,
    asks: command.options.some(({ long }) => long === '--yes'),
  }));
  expect(commands.filter(({ asks }) => asks).map(({ name }) => name)).toEqual([
    'payments check',
    'payments resolve',
    'reviews resolve',
    'deliveries replay',
    'dead-letters replay',
    'listeners delete',
    'accounts release',
    'pause',
    'resume',
    'restored',
    'redact',
    'subscriptions apply',
    'trigger',
    'migrate',
  ]);
  expect(commands.filter(({ asks }) => !asks).map(({ name }) => name)).toEqual([
    'doctor',
    'payments show',
    'reviews list',
    'deliveries list',
    'deliveries show',
    'dead-letters list',
    'accounts list',
    'listen',
    'reconcile',
    'export',
    'subscriptions plan',
    'sign',
    'verify',
  ]);
});

it('The program defines the commands that are called, and only names the others', async () => {
  const root = await program(['help', 'payments'], {} as CommandContext, ENDING);
  const defined = root.commands.filter(
    ({ commands, options }) => commands.length + options.length > 0,
  );
  expect(defined.map((command) => command.name())).toEqual(['payments']);
  expect(root.commands.every((command) => command.description() !== '')).toBe(true);
});

async function namesOfAll(): Promise<string[]> {
  const { commands } = await program([], {} as CommandContext, ENDING);
  return commands.map((command) => command.name());
}

function leavesOf(command: Command, before = ''): { name: string; command: Command }[] {
  return command.commands.flatMap((child) => {
    const name = `${before}${child.name()}`;
    return child.commands.length > 0 ? leavesOf(child, `${name} `) : [{ name, command: child }];
  });
}
