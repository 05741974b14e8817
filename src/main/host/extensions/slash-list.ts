import type { McpPrompt } from '#core/ports/mcp-client.ts'
import { slashNameOf } from '#shared/model/messages/message-notes.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import type { Commands, FoundCommand } from './commands.ts'
import type { ExtensionProblem } from './front-matter.ts'
import type { RunLimits } from './run-limits.ts'
import type { FoundSkill } from './skills.ts'

/** A prompt of a connected server. */
export interface ServerPrompt {
  readonly server: string
  readonly prompt: McpPrompt
}

/** Something that a person can ask for with a word after a slash. */
export interface SlashEntry extends RunLimits {
  /** The word without its slash. */
  readonly word: string
  readonly description: string
  /** What may follow the word; empty for nothing in particular. */
  readonly hint: string
  /** The file, or the server, that defines it; for people. */
  readonly source: string
  readonly what:
    | ({ readonly kind: 'command' } & Pick<FoundCommand, 'body'>)
    | ({ readonly kind: 'skill' } & Pick<FoundSkill, 'name'>)
    | ({ readonly kind: 'prompt' } & ServerPrompt)
}

export interface SlashList {
  readonly entries: readonly SlashEntry[]
  /** Commands that are not used, or not as they are written. */
  readonly problems: readonly ExtensionProblem[]
}

/** The most characters of a server's own words. */
const mostOfServer = 300

/**
 * All that a word after a slash can mean. When a word means several things, the person's own come before the project's,
 * skills before commands and prompts of servers last; a command that is left out is a problem.
 */
export function slashList(
  skills: readonly FoundSkill[],
  commands: { readonly own: Commands; readonly ofProject: Commands },
  prompts: readonly ServerPrompt[],
): SlashList {
  const offered = skills.filter(({ isFor }) => isFor.person)
  const [own, ofProject] = [offered.filter(({ file }) => file === null), offered.filter(({ file }) => file !== null)]
  const all = [
    ...[...own.map(skillEntry), ...commands.own.commands.map(commandEntry)],
    ...[...ofProject.map(skillEntry), ...commands.ofProject.commands.map(commandEntry)],
    ...prompts.map(promptEntry),
  ]
  const used = new Map<string, SlashEntry>()
  const problems = [...commands.own.problems, ...commands.ofProject.problems]
  for (const one of all) {
    const first = used.get(one.word)
    if (!first) used.set(one.word, one)
    else if (one.what.kind === 'command')
      problems.push({ file: one.source, line: null, message: `/${one.word} is already defined in ${first.source}.` })
  }
  return { entries: [...used.values()], problems }
}

/** The entry that a word names. Prompts of servers have a short name too: `server:prompt`. */
export function findSlash({ entries }: SlashList, word: string): SlashEntry | undefined {
  return (
    entries.find((one) => one.word === word) ??
    entries.find(({ what }) => what.kind === 'prompt' && shortName(what) === word)
  )
}

function commandEntry({ name, body, description, hint, source, ...limits }: FoundCommand): SlashEntry {
  return { ...limitsOf(limits), word: name, description, hint, source, what: { kind: 'command', body } }
}

function skillEntry({ name, description, hint, source, ...limits }: FoundSkill): SlashEntry {
  return { ...limitsOf(limits), word: slashNameOf(name), description, hint, source, what: { kind: 'skill', name } }
}

function promptEntry({ server, prompt }: ServerPrompt): SlashEntry {
  const { name, description, parameters } = prompt
  const hint = parameters.map((one) => (one.isRequired ? `<${one.name}>` : `[${one.name}]`)).join(' ')
  return {
    ...{ allowedTools: null, model: null, effort: null },
    word: slashNameOf(`mcp__${server}__${name}`),
    description: oneLine(description).slice(0, mostOfServer),
    hint: oneLine(hint).slice(0, mostOfServer),
    source: `the server ${server}`,
    what: { kind: 'prompt', server, prompt },
  }
}

function shortName({ server, prompt }: ServerPrompt): string {
  return slashNameOf(`${server}:${prompt.name}`)
}

function limitsOf({ allowedTools, model, effort }: RunLimits): RunLimits {
  return { allowedTools, model, effort }
}
