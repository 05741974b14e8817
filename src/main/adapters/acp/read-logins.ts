import type { AgentLogin } from '#core/ports/programs/external-agent.ts'
import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { oneLine, shellWord, undrawn } from '#shared/text/control-characters.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { isText, objectsIn } from './json-parts.ts'

/**
 * The ways to log in that an agent names, with the command line of each that is for a terminal: by the protocol the agent's
 * own with more words, and by agents of before another one in `_meta`. `own`: the command line that starts the agent.
 */
export function readLogins(methods: JsonValue | undefined, own: string): readonly AgentLogin[] {
  return objectsIn(methods).map((method) => ({
    text: beginningOf(oneLine([method.description, method.name, method.id].find(isText) ?? ''), mostShown) || 'Log in',
    command: commandIn(method, own),
  }))
}

function commandIn(method: JsonObject, own: string): string | null {
  const before = isJsonObject(method._meta) ? method._meta['terminal-auth'] : undefined
  if (method.type === 'terminal') return commandLine(own, method)
  return isJsonObject(before) && isText(before.command) ? commandLine(shellWord(before.command), before) : null
}

/** Null for words that a terminal would take for something else than they are. */
function commandLine(program: string, { args, env }: JsonObject): string | null {
  const words = Array.isArray(args) ? args.filter(isText) : []
  const variables = Object.entries(isJsonObject(env) ? env : {})
  const isPlain = variables.every(([name, value]) => /^[A-Za-z_]\w*$/.test(name) && isText(value))
  const set = variables.map(([name, value]) => `${name}=${shellWord(String(value))}`)
  const line = [...set, program, ...words.map(shellWord)].join(' ')
  return isPlain && !unseen.test(line) && line.length <= mostCharacters ? line : null
}

const unseen = new RegExp(`${undrawn}|\\s(?<! )`, 'v')
const mostCharacters = 2_000
const mostShown = 300
