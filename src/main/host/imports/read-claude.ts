import { parseRule } from '#core/approval/rules.ts'
import { looksSecret } from '#core/secrets/secrets.ts'
import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { type Draft, leftOut, type Origin, readHere } from './draft.ts'
import { hookDrafts } from './hooks.ts'
import { filesBelow, type Place } from './place.ts'
import { ruleDraft } from './rules.ts'
import { type GivenServer, serverDrafts, unusedKeys } from './servers.ts'
import { readJson } from './texts.ts'
import {
  agentFiles,
  type CommandDialect,
  commandFiles,
  instructionFile,
  instructionFiles,
  memoryDraft,
  skillFolders,
} from './written-texts.ts'

const tool = { tool: 'claude' } as const
const markdown = /\.md$/i

/**
 * What Claude Code has in a home, for all projects and for the one in `folder`. Null without a folder. `usual`: the usual home,
 * where a variable names another one for Claude Code. That is read where it is, and the other one is not.
 */
export async function claudeInHome(
  place: Place,
  folder: string | null,
  usual: Place | null,
): Promise<readonly Draft[]> {
  const here = usual ?? place
  return [
    ...(await servers(place, folder)),
    ...(await agentFiles(place, tool, '.claude/agents')),
    ...(await instructionFile(place, tool, '.claude/CLAUDE.md', 'CLAUDE.md')),
    ...(await instructionFiles(place, tool, '.claude/rules', markdown)),
    ...(folder === null ? [] : await memories(place, folder)),
    ...(usual === null ? [] : await elsewhere(place)),
    ...(await settingsHere(here, '.claude/settings.json')),
    ...(await filesHere(here, 'command', '.claude/commands')),
    ...(await skillsHere(here, ['.claude/skills', '.agents/skills'])),
  ]
}

/** What is read where it is in the usual home alone. */
async function elsewhere(place: Place): Promise<readonly Draft[]> {
  const file = '.claude/settings.json'
  const given = await readJson(place, file)
  const origin = { ...tool, scope: place.scope, source: place.label(file) } as const
  const rules = isJsonObject(given?.permissions) ? given.permissions : {}
  const texts = (list: unknown) =>
    Array.isArray(list) ? list.filter((one): one is string => typeof one === 'string') : []
  const ruleOrigin: Origin = { ...origin, kind: 'rule' }
  return [
    ...(await commandFiles(place, tool, '.claude/commands', commands)),
    ...(await skillFolders(place, tool, '.claude/skills', () => false)),
    ...(['deny', 'ask'] as const).flatMap((effect) =>
      texts(rules[effect])
        .slice(0, mostRules)
        .map((rule) =>
          parseRule(rule) && !looksSecret(rule)
            ? ruleDraft(ruleOrigin, effect, rule, `${effect} ${rule}`)
            : leftOut(ruleOrigin, effect, 'It is no rule here, or holds what looks like a secret.'),
        ),
    ),
    ...(texts(rules.allow).length > 0 ? [leftOut(ruleOrigin, 'allow', allowing)] : []),
    ...hookDrafts({ ...origin, kind: 'hook' }, given?.disableAllHooks === true ? undefined : given?.hooks, anyTool),
  ]
}

const mostRules = 500
const anyTool = /^/
const allowing = 'What it allows is not taken: write that into your own rules in Settings → Permissions.'

const commands: CommandDialect = {
  keys: ['description', 'argument-hint'],
  notes: (body) =>
    /!`[^`\n]+`/.test(body) ? ['Commands in it (!`…`) stay text: Coppice runs nothing before you send a message.'] : [],
}

/** What it has in a folder. Coppice reads most of that where it is. */
export async function claudeInFolder(place: Place): Promise<readonly Draft[]> {
  return [
    ...(await instructionFile(place, tool, '.claude/CLAUDE.md', '.claude/CLAUDE.md')),
    ...(await instructionFile(place, tool, 'CLAUDE.local.md', 'CLAUDE.local.md')),
    ...(await instructionFiles(place, tool, '.claude/rules', markdown)),
    ...(await filesHereNamed(place, 'instructions', ['CLAUDE.md', 'AGENTS.md'])),
    ...(await filesHere(place, 'agent', '.claude/agents')),
    ...(await filesHere(place, 'command', '.claude/commands')),
    ...(await skillsHere(place, ['.claude/skills', '.agents/skills'])),
    ...(await settingsHere(place, '.claude/settings.json')),
    ...(await settingsHere(place, '.claude/settings.local.json')),
    ...(await filesHereNamed(place, 'server', ['.mcp.json'])),
  ]
}

/** Those for all projects, and those that the person added for this folder alone. */
async function servers(place: Place, folder: string | null): Promise<readonly Draft[]> {
  const file = '.claude.json'
  const given = await readJson(place, file)
  if (given === undefined) return []
  const origin: Origin = { ...tool, kind: 'server', scope: place.scope, source: place.label(file) }
  const projects = isJsonObject(given.projects) ? given.projects : {}
  const own = folder !== null && Object.hasOwn(projects, folder) ? projects[folder] : undefined
  const local = isJsonObject(own) ? own.mcpServers : undefined
  const note = 'There it is for this folder alone; here it is for every project.'
  return [
    ...serverDrafts(origin, given.mcpServers, (_, value) => claudeServer(value), inPlace),
    ...serverDrafts(
      { ...origin, source: `${origin.source} (projects, ${folder})` },
      local,
      (_, value) => {
        const read = claudeServer(value)
        return { ...read, notes: [...read.notes, note] }
      },
      inPlace,
    ),
  ]
}

/** Its references have the form that they have here. */
const inPlace = (text: string) => text

const known = ['type', 'command', 'args', 'env', 'url', 'headers', 'oauth', 'alwaysLoad', 'always_load']

/** A server in the form of `.mcp.json`. */
export function claudeServer(value: JsonObject): GivenServer {
  const { command, args, env, url, headers, oauth, type } = value
  return {
    ...{ command, args, env, url, headers },
    ...(isJsonObject(oauth) && { oauth }),
    ...((value.alwaysLoad === true || value.always_load === true) && { alwaysLoad: true }),
    unused: unusedKeys(value, known),
    notes: [],
    refusal: transportProblem(type),
  }
}

/** Why a kind of transport cannot be used. */
function transportProblem(type: unknown): string | undefined {
  if (type === undefined || type === 'stdio' || type === 'http' || type === 'streamable-http') return undefined
  return `It speaks ${JSON.stringify(type).slice(0, 60)}, and Coppice speaks stdio and streamable HTTP.`
}

/** Notes that Claude Code keeps about the project in a folder. */
async function memories(place: Place, folder: string): Promise<readonly Draft[]> {
  const at = `.claude/projects/${folder.replace(/[^A-Za-z0-9]/g, '-')}/memory`
  const drafts: Draft[] = []
  for (const { path, names } of await filesBelow(place, at, (name) => markdown.test(name))) {
    const text = await place.read(path)
    const origin: Origin = { ...tool, kind: 'memory', scope: place.scope, source: place.label(path) }
    if (text !== undefined) drafts.push(memoryDraft(origin, names.join('/'), text))
  }
  return drafts
}

async function settingsHere(place: Place, file: string): Promise<readonly Draft[]> {
  const given = await readJson(place, file)
  if (given === undefined) return []
  const origin = { ...tool, scope: place.scope, source: place.label(file) } as const
  const { permissions, hooks } = given
  const allows = isJsonObject(permissions) && Array.isArray(permissions.allow) && permissions.allow.length > 0
  return [
    ...(isJsonObject(permissions)
      ? [readHere({ ...origin, kind: 'rule' }, 'permissions', ...(allows ? [allowing] : []))]
      : []),
    ...(isJsonObject(hooks) ? Object.keys(hooks).map((event) => readHere({ ...origin, kind: 'hook' }, event)) : []),
  ]
}

async function filesHere(place: Place, kind: Origin['kind'], folder: string): Promise<readonly Draft[]> {
  const files = await filesBelow(place, folder, (name) => markdown.test(name))
  return files.map(({ path, names }) =>
    readHere({ ...tool, kind, scope: place.scope, source: place.label(path) }, names.join(':').replace(markdown, '')),
  )
}

/** Skills of folders that Coppice reads, whichever tool they are of. */
async function skillsHere(place: Place, folders: readonly string[]): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const folder of folders)
    for (const { name, kind } of await place.list(folder)) {
      if (kind !== 'folder' || (await place.leadsTo(`${folder}/${name}/SKILL.md`)) === undefined) continue
      const source = place.label(`${folder}/${name}/SKILL.md`)
      drafts.push(readHere({ ...tool, kind: 'skill', scope: place.scope, source }, name))
    }
  return drafts
}

async function filesHereNamed(place: Place, kind: Origin['kind'], names: readonly string[]): Promise<readonly Draft[]> {
  const there = await Promise.all(names.map((name) => place.leadsTo(name)))
  return names.flatMap((name, index) =>
    there[index] === undefined
      ? []
      : [readHere({ ...tool, kind, scope: place.scope, source: place.label(name) }, name)],
  )
}
