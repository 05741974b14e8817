import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'
import { assignmentIn, holdsSecret, isSecretValue, variableFor } from './secret-values.ts'

/** A server as a tool defines it, in the words of `.mcp.json`, with what that form has no word for. */
export interface GivenServer {
  readonly command?: JsonValue | undefined
  readonly args?: JsonValue | undefined
  readonly env?: JsonValue | undefined
  readonly url?: JsonValue | undefined
  readonly headers?: JsonValue | undefined
  readonly oauth?: JsonObject | undefined
  readonly alwaysLoad?: boolean
  /** Keys that are not taken. */
  readonly unused: readonly string[]
  /** What else a person should know. */
  readonly notes: readonly string[]
  /** Why it cannot be taken at all. */
  readonly refusal?: string | undefined
}

/** Turns the references of a tool into `${NAME}`. Null for a text with one that has no such form. */
export type Rewrite = (text: string) => string | null

const mostParts = 500

/** The draft of one server. Values that look like secrets become references to variables, which are named. */
function serverDraft(origin: Origin, name: string, given: GivenServer, rewrite: Rewrite): Draft {
  const refuse = (why: string) => leftOut(origin, name, why)
  if (!isName(name)) return refuse('Its name cannot be that of a server here.')
  if (given.refusal !== undefined) return refuse(given.refusal)
  const take = createTaking(name, rewrite)
  const value =
    typeof given.command === 'string' && given.command.trim() !== ''
      ? { command: take.text('command', given.command), args: take.list(given.args), env: take.record(given.env, '') }
      : typeof given.url === 'string' && given.url.trim() !== ''
        ? {
            url: take.text('url', given.url),
            headers: take.record(given.headers, name),
            oauth: given.oauth && take.oauth(given.oauth),
          }
        : undefined
  if (value === undefined) return refuse('It has neither a command nor an address.')
  if (take.problem() !== undefined) return refuse(take.problem() ?? '')
  const variables = take.variables()
  const [secrets, which] = variables.length === 1 ? ['A secret is', 'the variable'] : ['Secrets are', 'the variables']
  const notes = [
    ...(variables.length === 0
      ? []
      : [
          `${secrets} not copied. Set ${which} ${variables.join(', ')} where Coppice starts, or edit the server in Settings → MCP servers.`,
        ]),
    ...(given.unused.length === 0 ? [] : [`Not taken: ${given.unused.join(', ')}.`]),
    ...given.notes,
  ]
  const filled = Object.entries({ ...value, ...(given.alwaysLoad && { always_load: true }) }).filter(
    ([, part]) => part !== undefined,
  )
  return {
    ...origin,
    name,
    becomes: { to: 'server', value: Object.fromEntries(filled) },
    notes,
    isWhole: given.unused.length + given.notes.length === 0,
  }
}

/** A name that may be a key of the settings, and that people can read. */
export function isName(name: string): boolean {
  return /^[^\p{C}\p{Z}](?:[^\p{C}]{0,98}[^\p{C}\p{Z}])?$/u.test(name) && !(name in Object.prototype)
}

function createTaking(server: string, rewrite: Rewrite) {
  const variables: string[] = []
  let problem: string | undefined
  function taken(name: string, variable: string, text: string): string {
    const own = rewrite(text)
    if (own === null) {
      problem ??= `Its ${name} names something that only that tool fills in: ${text.slice(0, 100)}`
      return text
    }
    if (!isSecretValue(name, own)) return own
    variables.push(variable)
    return `${/^(?:Bearer|Basic|Token) /i.exec(own)?.[0] ?? ''}\${${variable}}`
  }
  /** An argument with a name in it keeps its name. The value of `--header=Token: …` may have one of its own. */
  function argument([lead, name, value]: NonNullable<ReturnType<typeof assignmentIn>>, at: number): string | undefined {
    const inner = assignmentIn(value)
    const within = inner && argument(inner, at)
    if (within) return `${lead}${within}`
    if (!isSecretValue(name, value)) return undefined
    return `${lead}${taken(name, variableFor(server, name) || `ARGUMENT_${at + 1}`, value)}`
  }
  const isText = (value: JsonValue) => ['string', 'number', 'boolean'].includes(typeof value)
  /** A list of names, say. */
  function plain(key: string, value: JsonValue): JsonValue {
    if (holdsSecret(value)) problem ??= `Its ${key} holds what looks like a secret.`
    return value
  }
  function wrong(what: string): undefined {
    problem ??= `Its ${what} cannot be read.`
  }
  return {
    variables: () => [...new Set(variables)],
    problem: () => problem,
    text: (name: string, text: string) => taken(name, variableFor(server, name), text),
    list(given: JsonValue | undefined): readonly string[] | undefined {
      if (given === undefined || given === null) return undefined
      if (!Array.isArray(given) || given.length > mostParts || !given.every(isText)) return wrong('list of arguments')
      const texts = (given as readonly JsonValue[]).map(String)
      const read = texts.map((one, at) => {
        // The name of an argument tells what the one after it is.
        const before = /^--?[\w-]+$/.test(texts[at - 1] ?? '') ? (texts[at - 1] ?? '') : ''
        if (/^(?:-u|--user)$/.test(before) && one.includes(':'))
          return taken('password', variableFor(server, 'user'), one)
        const given = assignmentIn(one)
        const inside = given && argument(given, at)
        return (
          inside ?? taken(before === '' ? 'argument' : before, variableFor(server, before || `argument ${at + 1}`), one)
        )
      })
      return read.length === 0 ? undefined : read
    },
    record(given: JsonValue | undefined, prefix: string): Readonly<Record<string, string>> | undefined {
      if (given === undefined || given === null) return undefined
      const entries = isJsonObject(given) ? Object.entries(given) : null
      if (entries === null || entries.length > mostParts || !entries.every(([, value]) => isText(value)))
        return wrong('variables or headers')
      const read = entries.map(([name, value]) => [name, taken(name, variableFor(prefix, name), String(value))])
      return read.length === 0 ? undefined : Object.fromEntries(read)
    },
    oauth(given: JsonObject): Readonly<Record<string, JsonValue>> {
      const read = Object.entries(given).map(([key, value]): readonly [string, JsonValue] => [
        key,
        typeof value === 'string' ? taken(key, variableFor(server, key), value) : plain(key, value),
      ])
      return Object.fromEntries(read)
    },
  }
}

/** The servers of one file, in its order. */
export function serverDrafts(
  origin: Origin,
  given: unknown,
  read: (name: string, value: JsonObject) => GivenServer,
  rewrite: Rewrite,
): readonly Draft[] {
  if (!isJsonObject(given)) return []
  return Object.entries(given)
    .slice(0, mostParts)
    .map(([name, value]) =>
      isJsonObject(value)
        ? serverDraft(origin, name, read(name, value), rewrite)
        : leftOut(origin, name, 'It is no definition of a server.'),
    )
}

/** The keys of an object that are not among those that are read. */
export function unusedKeys(value: JsonObject, known: readonly string[]): readonly string[] {
  return Object.keys(value).filter((key) => !known.includes(key))
}
