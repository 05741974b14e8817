import type { McpResourceView, SlashView } from '#shared/contract/views/extensions.ts'
import type { Branch } from '#shared/model/branch.ts'
import { windowCommands } from '#shared/model/messages/built-in-commands.ts'
import { diffMention, mentionPrefixes } from '#shared/model/messages/mentions.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import { strings } from '../../../strings/strings.ts'

const labels = strings.chat

/** `window`: a command of the window itself. The next four are what a message can ask for. */
export type SuggestionKind =
  | 'window'
  | `slash-${SlashView['kind']}`
  | 'folder'
  | 'file'
  | 'branch'
  | 'agent'
  | 'type'
  | 'memory'
  | 'diff'
  | 'resource'

export interface Suggestion {
  readonly kind: SuggestionKind
  /** What a person reads. */
  readonly name: string
  /** The text that is inserted after the sign. */
  readonly inserted: string
  /** What may follow it; empty for nothing in particular. */
  readonly hint: string
  /** Explains a name that says too little on its own; empty for nothing. */
  readonly detail: string
  /** The file that defines it; empty for what the app itself has. */
  readonly source: string
}

/** Things that `@` can name in a message, besides files. */
export interface Named {
  readonly agents: readonly Pick<ThreadState, 'agent' | 'agentType' | 'parent' | 'title' | 'status'>[]
  readonly branches: readonly Pick<Branch, 'handle' | 'name'>[]
  readonly memories: readonly string[]
  /** Of servers, as they fit the query. */
  readonly resources: readonly McpResourceView[]
  /** True when the workspace has changes. */
  readonly changed: boolean
}

const most = { folder: 3, file: 8, fileAtFirst: 4, branch: 4, agent: 4, type: 3, memory: 4 } as const

/** Suggests names for a query, by kind. `paths` are already ranked; all other names match if they contain the query. */
export function suggestionsFor(query: string, paths: readonly string[], named: Named): readonly Suggestion[] {
  const wanted = query.toLowerCase()
  const fits = ({ inserted, detail }: Suggestion): boolean => `${inserted} ${detail}`.toLowerCase().includes(wanted)
  const some = (kind: 'branch' | 'agent' | 'type' | 'memory', all: readonly Suggestion[]) =>
    all.filter(fits).slice(0, most[kind])
  const subagents = named.agents.filter(({ parent }) => parent !== null)
  const types = [...new Set(named.agents.map(({ agentType }) => agentType))]
  return [
    ...foldersOf(paths, query).map((name) => suggestion('folder', name)),
    ...paths
      .slice(0, query === '' ? most.fileAtFirst : most.file)
      .map((path) => suggestion('file', path.replace(/^\//, ''))),
    ...(named.changed ? [suggestion('diff', diffMention, diffMention, labels.diffDetail)].filter(fits) : []),
    ...some(
      'branch',
      named.branches.flatMap(({ handle, name }) => {
        const word = wordFor(name, handle, named.branches)
        const task = subagents.find(({ parent }) => parent?.handle === handle)?.title ?? ''
        return word === null ? [] : [suggestion('branch', name, `${mentionPrefixes.branch}${word}`, task)]
      }),
    ),
    ...some(
      'agent',
      subagents.map(({ agent, parent, title, status }) => {
        const others = subagents.map((one) => ({ name: one.agent, handle: one.parent?.handle ?? null }))
        const word = wordFor(agent, parent?.handle ?? null, others) ?? agent
        const detail = `${strings.common.status[status]} · ${title}`
        return suggestion('agent', agent, `${mentionPrefixes.agent}${word}`, detail)
      }),
    ),
    ...some(
      'memory',
      named.memories.map((name) => {
        const path = `${mentionPrefixes.memory}${name.replace(/^\//, '')}`
        return suggestion('memory', path, path)
      }),
    ),
    ...named.resources.map(({ server, uri, name, description }) => ({
      ...suggestion(
        'resource',
        `${server}:${uri}`,
        `${server}:${uri}`,
        [name, description].filter(Boolean).join(' · '),
      ),
      source: server,
    })),
    ...some(
      'type',
      types.map((name) => suggestion('type', name)),
    ),
  ]
}

/**
 * The files of an earlier query that a longer one can mean too: all its characters occur in their paths, in order. Until
 * the files of a query are found, Enter must not take one that does not fit.
 */
export function stillFitting(paths: readonly string[], query: string): readonly string[] {
  return paths.filter((path) => containsInOrder(path.toLowerCase(), query.toLowerCase()))
}

function containsInOrder(text: string, characters: string): boolean {
  let from = 0
  for (const character of characters) {
    const at = text.indexOf(character, from)
    if (at < 0) return false
    from = at + character.length
  }
  return true
}

const slashKinds = ['command', 'skill', 'prompt', 'agent'] as const

/**
 * Commands of the window, unless they are left out, and what else a word after a slash can mean, kind by kind: first the
 * words that begin with the query, then those that contain it.
 */
export function slashSuggestions(
  query: string,
  entries: readonly SlashView[],
  withCommands = true,
): readonly Suggestion[] {
  const wanted = query.toLowerCase()
  const commands = windowCommands.map((name) => suggestion('window', name, name, labels.commands[name]))
  const starts = ({ name }: Suggestion): boolean => name.toLowerCase().startsWith(wanted)
  const inOrder = (all: readonly Suggestion[]): readonly Suggestion[] => [
    ...all.filter(starts),
    ...all.filter((one) => !starts(one) && one.name.toLowerCase().includes(wanted)),
  ]
  const others = slashKinds.flatMap((kind) =>
    inOrder(entries.filter((one) => one.kind === kind).map(slashSuggestion)).slice(0, mostOfKind),
  )
  return [...(withCommands ? inOrder(commands) : []), ...others]
}

/** A list of all 500 commands of a folder helps nobody; each is there once a part of its word is typed. */
const mostOfKind = 50

function slashSuggestion({ kind, word, hint, description, source }: SlashView): Suggestion {
  return { ...suggestion(`slash-${kind}`, word, word, description), hint, source }
}

function suggestion(kind: SuggestionKind, name: string, inserted = name, detail = ''): Suggestion {
  return { kind, name, inserted, hint: '', detail, source: '' }
}

interface Handled {
  readonly name: string
  readonly handle: string | null
}

/** The name, or the handle where the name has spaces or several have it. Null for the workspace, which has no handle. */
function wordFor(name: string, handle: string | null, all: readonly Handled[]): string | null {
  if (handle === null) return null
  const isPlain = /^[^\s@]+$/.test(name) && !/[)\]}"',.;:!?]$/.test(name)
  return isPlain && all.filter((other) => other.name === name).length === 1 ? name : handle
}

/** The folders of the found files whose own name matches, nearest to the root first. */
function foldersOf(paths: readonly string[], query: string): readonly string[] {
  const wanted = query.toLowerCase().replace(/\/$/, '')
  if (wanted === '') return []
  const folders = paths.flatMap((path) => {
    const parts = path.replace(/^\//, '').split('/').slice(0, -1)
    return parts.map((_, index) => `${parts.slice(0, index + 1).join('/')}/`)
  })
  return [...new Set(folders)]
    .filter((folder) => folder.toLowerCase().slice(0, -1).endsWith(wanted) || lastPart(folder).includes(wanted))
    .sort((a, b) => a.length - b.length)
    .slice(0, most.folder)
}

function lastPart(folder: string): string {
  return (folder.slice(0, -1).split('/').at(-1) ?? '').toLowerCase()
}
