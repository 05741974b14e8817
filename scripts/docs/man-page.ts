import { commonFlags } from '../../src/main/cli/grammar/flags.ts'
import { verbs } from '../../src/main/cli/grammar/verbs.ts'
import type { FlagWord, VerbWords } from '../../src/main/cli/grammar/words.ts'
import { flagHead, usageOf } from '../../src/main/cli/help.ts'
import { appVariables, terminalVariables } from './environment-page.ts'

/** `coppice.1`: the manual page, made from the same table as `--help`. */
export function manPage(): string {
  return [
    '.\\" Made by "npm run docs" from src/main/cli/grammar. Change it there.',
    '.TH COPPICE 1 "" "Coppice" "User commands"',
    '.SH NAME',
    'coppice \\- let an AI agent work on a project folder without touching it',
    '.SH SYNOPSIS',
    ...verbs.flatMap((verb, index) => [...(index === 0 ? [] : ['.br']), roff(usageOf(verb))]),
    '.SH DESCRIPTION',
    'Agents read a folder and write to an overlay over it. Subagents work on branches. A person approves what is sensitive, merges branches, and applies the result to the folder, or exports it as a git patch.',
    '.PP',
    roff('THREAD is an id, the beginning of one, or "last".'),
    '.SH COMMANDS',
    ...verbs.flatMap(verbLines),
    '.SH FLAGS OF EVERY COMMAND',
    ...commonFlags.flatMap(flagLines),
    '.SH ENVIRONMENT',
    ...[...appVariables, ...terminalVariables].flatMap(({ name, meaning }) => [
      '.TP',
      `.B ${roff(name)}`,
      roff(meaning),
    ]),
    '.SH EXIT STATUS',
    roff(
      '0 done, 1 failed, 2 wrong usage, 3 waits for a decision of yours, 4 a budget ended it, 130 stopped. Each command says above which of them it has.',
    ),
    '',
  ].join('\n')
}

function verbLines(verb: VerbWords): readonly string[] {
  return [
    `.SS ${roff(usageOf(verb))}`,
    ...verb.about.flatMap((paragraph, index) => [...(index === 0 ? [] : ['.PP']), roff(paragraph)]),
    ...verb.flags.flatMap(flagLines),
    '.PP',
    'Examples:',
    ...verb.examples.flatMap(({ line, about }) => ['.TP', `.B ${roff(line)}`, roff(about)]),
    '.PP',
    roff(
      `Exit status: ${Object.entries(verb.exits)
        .map(([code, meaning]) => `${code} ${meaning}`)
        .join(', ')}.`,
    ),
  ]
}

function flagLines(flag: FlagWord): readonly string[] {
  return ['.TP', `.B ${roff(flagHead(flag))}`, roff(flag.about)]
}

/** A text that the formatter takes as it is. A line that begins with a dot or a quote would be a request. */
function roff(text: string): string {
  const plain = text.replaceAll('`', '').replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('"', '\\(dq')
  return /^[.']/.test(escaped) ? `\\&${escaped}` : escaped
}
