import { isJsonObject, type JsonObject, type JsonValue } from '#shared/base/json.ts'
import { type Draft, leftOut, type Origin } from './draft.ts'
import type { Place } from './place.ts'
import { claudeServer } from './read-claude.ts'
import { ruleDraft } from './rules.ts'
import { type GivenServer, serverDrafts } from './servers.ts'
import { readJson } from './texts.ts'
import {
  agentFiles,
  type CommandDialect,
  commandFiles,
  instructionFile,
  instructionFiles,
  skillFolders,
} from './written-texts.ts'

const tool = { tool: 'cursor' } as const

/** What Cursor has in a home. */
export async function cursorInHome(place: Place, isReadHere: (path: string) => boolean): Promise<readonly Draft[]> {
  return [...(await inBoth(place, isReadHere)), ...(await permissions(place, '.cursor/cli-config.json'))]
}

export async function cursorInFolder(place: Place): Promise<readonly Draft[]> {
  return [
    ...(await inBoth(place, () => false)),
    ...(await instructionFile(place, tool, '.cursorrules', '.cursorrules')),
    ...(await permissions(place, '.cursor/cli.json')),
  ]
}

async function inBoth(place: Place, isReadHere: (path: string) => boolean): Promise<readonly Draft[]> {
  return [
    ...(await servers(place)),
    ...(await agentFiles(place, tool, '.cursor/agents')),
    ...(await commandFiles(place, tool, '.cursor/commands', commands)),
    ...(await skillFolders(place, tool, '.cursor/skills', isReadHere)),
    ...(await instructionFiles(place, tool, '.cursor/rules', /\.mdc?$/i)),
    ...(await hooks(place)),
    ...(await allowed(place)),
  ]
}

async function servers(place: Place): Promise<readonly Draft[]> {
  const file = '.cursor/mcp.json'
  const given = await readJson(place, file)
  const origin: Origin = { ...tool, kind: 'server', scope: place.scope, source: place.label(file) }
  return serverDrafts(origin, given?.mcpServers, (_, value) => cursorServer(value), rewrite)
}

function cursorServer(value: JsonObject): GivenServer {
  const read = claudeServer(value)
  const auth = isJsonObject(value.auth) ? value.auth : undefined
  if (value.disabled !== true && auth === undefined) return read
  return {
    ...read,
    ...(auth && { oauth: oauthOf(auth) }),
    unused: read.unused.filter((key) => key !== 'auth' && key !== 'disabled'),
    notes: [...read.notes, ...(value.disabled === true ? ['It is switched off there.'] : [])],
  }
}

function oauthOf({ CLIENT_ID, CLIENT_SECRET, scopes }: JsonObject): JsonObject {
  const parts: readonly (readonly [string, JsonValue | undefined])[] = [
    ['client_id', CLIENT_ID],
    ['client_secret', CLIENT_SECRET],
    ['scopes', scopes],
  ]
  return Object.fromEntries(parts.flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const])))
}

/** `${env:NAME}` alone has a form here. */
function rewrite(text: string): string | null {
  const rest = text.replace(/\$\{env:\w+\}/g, '')
  return rest.includes('${') ? null : text.replace(/\$\{env:(\w+)\}/g, (_, name: string) => `\${${name}}`)
}

/** Its commands are texts alone, in which signs of ours mean nothing. */
const commands: CommandDialect = {
  keys: ['description'],
  notes: (body) =>
    /(?<!\\)\$(?:ARGUMENTS|\d)/.test(body) ? ['Signs such as $1 in it are filled in here with what you type.'] : [],
}

/** Its hooks read and answer in a form of their own, so as hooks here they would answer nothing. */
async function hooks(place: Place): Promise<readonly Draft[]> {
  const file = '.cursor/hooks.json'
  const given = (await readJson(place, file))?.hooks
  if (!isJsonObject(given)) return []
  const origin: Origin = { ...tool, kind: 'hook', scope: place.scope, source: place.label(file) }
  return Object.keys(given)
    .slice(0, 100)
    .map((event) =>
      leftOut(
        origin,
        event.slice(0, 100),
        'A hook of Cursor reads and answers in Cursor’s own form. As a hook here it would guard nothing.',
      ),
    )
}

/** What its command line denies. What it allows is never taken. */
async function permissions(place: Place, file: string): Promise<readonly Draft[]> {
  const given = (await readJson(place, file))?.permissions
  if (!isJsonObject(given)) return []
  const origin: Origin = { ...tool, kind: 'rule', scope: place.scope, source: place.label(file) }
  const denied = Array.isArray(given.deny) ? (given.deny as readonly JsonValue[]) : []
  const allows = Array.isArray(given.allow) && given.allow.length > 0
  return [
    ...denied.slice(0, 500).map((one) => {
      const text = String(one)
      const rule = denyRule(text)
      return rule === undefined
        ? leftOut(origin, text.slice(0, 100), 'It has no equal among the rules here.')
        : ruleDraft(origin, 'deny', rule, text)
    }),
    ...(allows
      ? [
          leftOut(
            origin,
            'allow',
            'What it allows is not taken: write that into your own rules in Settings → Permissions.',
          ),
        ]
      : []),
  ]
}

/** A rule here for `Shell(git)`, `Read(…)`, `Write(…)` or `Mcp(server:tool)` of Cursor. Undefined for another one. */
function denyRule(text: string): string | undefined {
  const [, kind, pattern = ''] = /^(Shell|Read|Write|Mcp)\((.+)\)$/s.exec(text.trim()) ?? []
  if (kind === 'Shell') return /^[\w./-]+$/.test(pattern) ? `Bash(${pattern} *)` : undefined
  if (kind === 'Mcp') {
    const [, server, name] = /^([\w-]+):([\w-]+|\*)$/.exec(pattern) ?? []
    return server === undefined ? undefined : `mcp__${server}__${name}`
  }
  if (pattern.split('/').includes('..')) return undefined
  // Elsewhere in a pattern the two programs differ.
  if (!/^[\w./-]+$|^(?:[\w.-]+\/)*\*\*(?:\/\*(?:\.\w+)?)?$/.test(pattern)) return undefined
  return kind === 'Read' ? `Read(${pattern})` : kind === 'Write' ? `Edit(${pattern})` : undefined
}

/** Lists of what runs without a question. */
async function allowed(place: Place): Promise<readonly Draft[]> {
  const file = '.cursor/permissions.json'
  const given = await readJson(place, file)
  if (given === undefined) return []
  const origin: Origin = { ...tool, kind: 'rule', scope: place.scope, source: place.label(file) }
  return Object.keys(given)
    .slice(0, 20)
    .map((key) =>
      leftOut(
        origin,
        key.slice(0, 100),
        'What it allows is not taken: write that into your own rules in Settings → Permissions.',
      ),
    )
}
