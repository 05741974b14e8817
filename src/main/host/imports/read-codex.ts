import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { agentDraft } from './agents.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'
import { hookDrafts } from './hooks.ts'
import { filesBelow, type Place } from './place.ts'
import { type GivenServer, serverDrafts, unusedKeys } from './servers.ts'
import { readJson, readToml } from './texts.ts'
import { type CommandDialect, commandFiles, instructionFile, skillFolders } from './written-texts.ts'

const tool = { tool: 'codex' } as const

/** What Codex has in a home. */
export async function codexInHome(place: Place, isReadHere: (path: string) => boolean): Promise<readonly Draft[]> {
  const override = await instructionFile(place, tool, '.codex/AGENTS.override.md', 'AGENTS.override.md')
  return [
    ...(await configuration(place)),
    ...(await agents(place)),
    ...(await commandFiles(place, tool, '.codex/prompts', prompts)),
    // The first one hides the other.
    ...(override.length > 0 ? override : await instructionFile(place, tool, '.codex/AGENTS.md', 'AGENTS.md')),
    ...(await skillFolders(place, tool, '.codex/skills', isReadHere)),
    ...(await rules(place)),
  ]
}

export async function codexInFolder(place: Place): Promise<readonly Draft[]> {
  return [
    ...(await configuration(place)),
    ...(await agents(place)),
    ...(await skillFolders(place, tool, '.codex/skills', () => false)),
    ...(await rules(place)),
  ]
}

async function configuration(place: Place): Promise<readonly Draft[]> {
  const [file, hooksFile] = ['.codex/config.toml', '.codex/hooks.json']
  const [given, inJson] = [await readToml(place, file), await readJson(place, hooksFile)]
  const origin = { ...tool, scope: place.scope, source: place.label(file) } as const
  return [
    ...serverDrafts(
      { ...origin, kind: 'server' },
      given?.mcp_servers,
      (name, value) => codexServer(name, value),
      (text) => text,
    ),
    ...hookDrafts({ ...origin, kind: 'hook' }, given?.hooks),
    ...hookDrafts({ ...origin, kind: 'hook', source: place.label(hooksFile) }, inJson?.hooks),
  ]
}

/** Codex fills in nothing in its values, and here `${NAME}` would be filled in. */
function refusalOf(...values: readonly (JsonValue | undefined)[]): string | undefined {
  return /\$\{\w+(?::-[^}]*)?\}/.test(JSON.stringify(values))
    ? 'It holds a dollar sign with a name in braces. Codex passes that on, and here it would be filled in.'
    : undefined
}

const serverKeys = [
  ...['command', 'args', 'env', 'env_vars', 'url', 'http_headers', 'env_http_headers', 'bearer_token_env_var'],
  ...['enabled', 'startup_timeout_sec', 'startup_timeout_ms', 'tool_timeout_sec'],
]

function codexServer(name: string, value: JsonObject): GivenServer {
  const { command, args, url, env, http_headers: headers } = value
  const passed = Array.isArray(value.env_vars) ? (value.env_vars as readonly JsonValue[]) : []
  const variables = passed.flatMap((one) =>
    typeof one === 'string' ? [one] : isJsonObject(one) && typeof one.name === 'string' ? [one.name] : [],
  )
  const fromVariables = isJsonObject(value.env_http_headers) ? Object.entries(value.env_http_headers) : []
  const bearer = value.bearer_token_env_var
  const unused = unusedKeys(value, serverKeys)
  return {
    ...{ command, args, url },
    refusal: refusalOf(command, args, url, env, headers),
    env: joinTexts(
      env,
      variables.map((variable) => [variable, variable]),
    ),
    headers: joinTexts(headers, fromVariables, typeof bearer === 'string' ? bearer : null),
    unused: unused.filter((key) => !asks.has(key)),
    notes: [
      ...(value.enabled === false ? ['It is switched off there.'] : []),
      ...(unused.some((key) => asks.has(key))
        ? [
            `Which of its tools it may use there is not taken. Here each call of its tools asks, unless a rule allows it: mcp__${name}__*.`,
          ]
        : []),
    ],
  }
}

/** Keys about single tools. */
const asks: ReadonlySet<string> = new Set(['enabled_tools', 'disabled_tools', 'tools', 'default_tools_approval_mode'])
const isVariable = (name: unknown): name is string => typeof name === 'string' && /^[A-Za-z_]\w*$/.test(name)

/** Texts, and references to variables in the form that they have here. */
function joinTexts(
  given: JsonValue | undefined,
  variables: readonly (readonly [name: string, variable: JsonValue])[],
  bearer: string | null = null,
): JsonValue | undefined {
  const referred = variables.flatMap(([name, variable]) =>
    isVariable(variable) ? [[name, reference(variable)] as const] : [],
  )
  const all = [...referred, ...(isVariable(bearer) ? [['Authorization', `Bearer ${reference(bearer)}`] as const] : [])]
  if (all.length === 0) return given
  const own = isJsonObject(given) ? given : {}
  // A header that is given twice is the one from the variable, whatever its letters.
  const names = new Set(all.map(([name]) => name.toLowerCase()))
  return {
    ...Object.fromEntries(Object.entries(own).filter(([name]) => !names.has(name.toLowerCase()))),
    ...Object.fromEntries(all),
  }
}

function reference(variable: string): string {
  return `\${${variable}}`
}

/** Types of agents, a file of TOML each. */
async function agents(place: Place): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const { path, names } of await filesBelow(place, '.codex/agents', (name) => name.endsWith('.toml'))) {
    const data = await readToml(place, path)
    const origin: Origin = { ...tool, kind: 'agent', scope: place.scope, source: place.label(path) }
    const { developer_instructions: role } = data ?? {}
    const name = (names.at(-1) ?? '').replace(/\.toml$/, '')
    if (data !== undefined)
      drafts.push(agentDraft(origin, name, { data, prompt: typeof role === 'string' ? role : '' }))
  }
  return drafts
}

const prompts: CommandDialect = {
  keys: ['description', 'argument-hint'],
  notes(body) {
    const named = [...new Set([...body.matchAll(/(?<![\\$])\$([A-Z][A-Z0-9_]*)/g)].map(([, name = '']) => name))]
    const unfilled = named.filter((name) => name !== 'ARGUMENTS')
    return unfilled.length === 0
      ? []
      : [`Coppice does not fill in $${unfilled.slice(0, 10).join(', $')}: what you type follows the text.`]
  },
}

/** Programs in a language of their own, about commands outside of its sandbox. */
async function rules(place: Place): Promise<readonly Draft[]> {
  const files = await filesBelow(place, '.codex/rules', (name) => name.endsWith('.rules'))
  return files.map(({ path, names }) =>
    leftOut(
      { ...tool, kind: 'rule', scope: place.scope, source: place.label(path) },
      names.join('/'),
      'Its rules are about commands outside of the sandbox of Codex. Rules here are about all commands, so they would mean something else.',
    ),
  )
}
