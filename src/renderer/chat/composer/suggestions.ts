import type { Branch } from '#shared/model/branch.ts'
import type { ThreadState } from '#shared/model/thread.ts'

export type SuggestionKind = 'command' | 'file' | 'folder' | 'agent' | 'branch' | 'memory'

export interface Suggestion {
  readonly kind: SuggestionKind
  /** The text that is inserted after the sign. */
  readonly name: string
  /** Explains a name that says too little on its own. */
  readonly detail: string
}

/** Things that `@` can name in a message, besides files. */
export interface Named {
  readonly agents: readonly Pick<ThreadState, 'agent' | 'agentType'>[]
  readonly branches: readonly Pick<Branch, 'handle' | 'name'>[]
  readonly memories: readonly string[]
}

const most = { folder: 3, file: 8, agent: 3, branch: 4, memory: 4 } as const

/** Suggests names for a query. `paths` are already ranked; all other names match if they contain the query. */
export function suggestionsFor(query: string, paths: readonly string[], named: Named): readonly Suggestion[] {
  const fits = (text: string): boolean => text.toLowerCase().includes(query.toLowerCase())
  const types = [...new Set(named.agents.map(({ agentType }) => agentType))].filter(fits)
  return [
    ...foldersOf(paths, query).map((name) => suggestion('folder', name)),
    ...paths.slice(0, most.file).map((path) => suggestion('file', path.replace(/^\//, ''))),
    ...types.slice(0, most.agent).map((name) => suggestion('agent', name)),
    ...named.branches
      .filter(({ handle, name }) => handle !== null && (fits(handle) || fits(name)))
      .slice(0, most.branch)
      .map(({ handle, name }) => suggestion('branch', handle ?? '', name)),
    ...named.memories
      .filter((name) => fits(`memories/${name}`))
      .slice(0, most.memory)
      .map((name) => suggestion('memory', `memories/${name.replace(/^\//, '')}`)),
  ]
}

function suggestion(kind: SuggestionKind, name: string, detail = ''): Suggestion {
  return { kind, name, detail }
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
