import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { agentDraft } from './agents.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'
import type { Place } from './place.ts'
import { orderedDrafts, rulesByAction, rulesInList } from './rules.ts'
import { type GivenServer, serverDrafts, unusedKeys } from './servers.ts'
import { readJson } from './texts.ts'
import {
  agentFiles,
  type CommandDialect,
  commandDraft,
  commandFiles,
  instructionFile,
  skillFolders,
} from './written-texts.ts'

const tool = { tool: 'opencode' } as const

/** What OpenCode has in a home, in the words of its versions 1 and 2. */
export async function openCodeInHome(place: Place, isReadHere: (path: string) => boolean): Promise<readonly Draft[]> {
  const at = '.config/opencode'
  return [
    ...(await configurations(place, [`${at}/config.json`, `${at}/opencode.json`, `${at}/opencode.jsonc`])),
    ...(await inFolders(place, at, isReadHere)),
    ...(await instructionFile(place, tool, `${at}/AGENTS.md`, 'AGENTS.md')),
  ]
}

export async function openCodeInFolder(place: Place): Promise<readonly Draft[]> {
  const files = ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc']
  return [...(await configurations(place, files)), ...(await inFolders(place, '.opencode', () => false))]
}

async function inFolders(place: Place, at: string, isReadHere: (path: string) => boolean): Promise<readonly Draft[]> {
  const drafts: (readonly Draft[])[] = []
  for (const folder of ['agent', 'agents']) drafts.push(await agentFiles(place, tool, `${at}/${folder}`))
  for (const folder of ['command', 'commands'])
    drafts.push(await commandFiles(place, tool, `${at}/${folder}`, commands))
  for (const folder of ['skill', 'skills']) drafts.push(await skillFolders(place, tool, `${at}/${folder}`, isReadHere))
  for (const folder of ['plugin', 'plugins']) drafts.push(await plugins(place, `${at}/${folder}`))
  return drafts.flat()
}

async function configurations(place: Place, files: readonly string[]): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const file of files) {
    const given = await readJson(place, file)
    if (given !== undefined)
      drafts.push(...configuration(given, { ...tool, scope: place.scope, source: place.label(file) }))
  }
  return drafts
}

function configuration(given: JsonObject, origin: Omit<Origin, 'kind'>): readonly Draft[] {
  const mcp = isJsonObject(given.mcp) ? given.mcp : {}
  // The servers of version 2 are one level deeper.
  const servers = isJsonObject(mcp.servers) && !('type' in mcp.servers) ? mcp.servers : mcp
  return [
    ...serverDrafts({ ...origin, kind: 'server' }, servers, (_, value) => openCodeServer(value), rewrite),
    ...entriesOf(given.agent, given.agents).map(([name, value]) =>
      jsonAgent({ ...origin, kind: 'agent' }, name, value),
    ),
    ...entriesOf(given.command, given.commands).map(([name, value]) =>
      jsonCommand({ ...origin, kind: 'command' }, name, value),
    ),
    ...orderedDrafts({ ...origin, kind: 'rule' }, [
      ...rulesByAction(given.permission),
      ...rulesInList(given.permissions),
    ]),
    ...textsOf(given.instructions).map((name) =>
      leftOut(
        { ...origin, kind: 'instructions' },
        name.slice(0, 200),
        'It names files, and Coppice includes none from outside. In an AGENTS.md of the project, @ and a path include a file of it.',
      ),
    ),
    ...textsOf(given.plugin).map((name) => leftOut({ ...origin, kind: 'hook' }, name.slice(0, 200), aboutPlugins)),
  ]
}

const aboutPlugins = 'A plugin is a program for OpenCode alone.'

function entriesOf(...given: readonly (JsonValue | undefined)[]): readonly (readonly [string, JsonValue])[] {
  return given.flatMap((one) => (isJsonObject(one) ? Object.entries(one) : [])).slice(0, 500)
}

function textsOf(given: JsonValue | undefined): readonly string[] {
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === 'string').slice(0, 100) : []
}

const serverKeys = ['type', 'command', 'environment', 'url', 'headers', 'enabled', 'disabled', 'timeout', 'oauth']

function openCodeServer(value: JsonObject): GivenServer {
  const { type, environment, url, headers, oauth } = value
  const line = Array.isArray(value.command) ? (value.command as readonly JsonValue[]) : []
  const [command, ...args] = line
  const isOff = value.enabled === false || value.disabled === true
  return {
    ...(type === 'remote' ? { url, headers } : { command, args, env: environment }),
    ...(isJsonObject(oauth) && { oauth }),
    unused: unusedKeys(value, serverKeys),
    notes: isOff ? ['It is switched off there.'] : [],
    refusal: type === 'local' || type === 'remote' ? undefined : 'It is neither a local nor a remote server.',
  }
}

/** `{env:NAME}` is a reference to a variable; a file has no form here, and what is one here has none there. */
function rewrite(text: string): string | null {
  if (/\{file:|\$\{\w/.test(text)) return null
  return text.replace(/\{env:(\w+)\}/g, (_, name: string) => `\${${name}}`)
}

function jsonAgent(origin: Origin, name: string, value: JsonValue): Draft {
  if (!isJsonObject(value)) return leftOut(origin, name.slice(0, 100), 'It is no definition of an agent.')
  if (value.disable === true || value.disabled === true) return leftOut(origin, name, 'It is switched off there.')
  const role = typeof value.prompt === 'string' ? value.prompt : typeof value.system === 'string' ? value.system : ''
  if (/\{(?:file|env):/.test(role)) return leftOut(origin, name, 'Its role is in another file or variable.')
  const { disable, disabled, ...data } = value
  return agentDraft(origin, name, { data: { ...data, name }, prompt: role })
}

function jsonCommand(origin: Origin, name: string, value: JsonValue): Draft {
  if (!isJsonObject(value) || typeof value.template !== 'string')
    return leftOut(origin, name.slice(0, 100), 'It has no text.')
  const { template, ...data } = value
  return commandDraft(origin, name.split('/'), { data, prompt: template }, commands)
}

const commands: CommandDialect = {
  keys: ['description'],
  notes: (body) =>
    /!`[^`\n]+`/.test(body) ? ['Commands in it (!`…`) stay text: Coppice runs nothing before you send a message.'] : [],
}

async function plugins(place: Place, folder: string): Promise<readonly Draft[]> {
  const found = await place.list(folder)
  return found.map(({ name }) =>
    leftOut(
      { ...tool, kind: 'hook', scope: place.scope, source: place.label(`${folder}/${name}`) },
      name,
      aboutPlugins,
    ),
  )
}
