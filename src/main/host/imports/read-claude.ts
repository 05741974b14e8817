import { isJsonObject, type JsonObject } from '#shared/base/json.ts'
import { type Draft, type Origin, readHere } from './draft.ts'
import { filesBelow, type Place } from './place.ts'
import { type GivenServer, serverDrafts, unusedKeys } from './servers.ts'
import { readJson } from './texts.ts'
import { agentFiles, instructionFile, instructionFiles, memoryDraft } from './written-texts.ts'

const tool = { tool: 'claude' } as const
const markdown = /\.md$/i

/** What Claude Code has in a home, for all projects and for the one in `folder`. Null without a folder. */
export async function claudeInHome(place: Place, folder: string | null): Promise<readonly Draft[]> {
  return [
    ...(await servers(place, folder)),
    ...(await agentFiles(place, tool, '.claude/agents')),
    ...(await instructionFile(place, tool, '.claude/CLAUDE.md', 'CLAUDE.md')),
    ...(await instructionFiles(place, tool, '.claude/rules', markdown)),
    ...(folder === null ? [] : await memories(place, folder)),
    ...(await settingsHere(place, '.claude/settings.json')),
    ...(await filesHere(place, 'command', '.claude/commands')),
    ...(await skillsHere(place, ['.claude/skills', '.agents/skills'])),
  ]
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
  const note = 'What it allows is not taken: write that into your own rules in Settings → Permissions.'
  return [
    ...(isJsonObject(permissions)
      ? [readHere({ ...origin, kind: 'rule' }, 'permissions', ...(allows ? [note] : []))]
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
