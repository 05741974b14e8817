import type { BlobHash, MessageId, ThreadId } from '#shared/model/ids.ts'
import { knowsMemory } from '#shared/model/project-state.ts'
import type { FoundTool, ThreadState } from '#shared/model/thread.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { steerNoticeEntry } from '../../journal/notices.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { ToolSpec } from '../../ports/model-client.ts'
import { forked } from '../../prompts/guidance.ts'
import type { Tool } from '../../tools/tool.ts'
import type { Commit } from '../calls/call-context.ts'
import type { AgentDefinition } from '../types/agent-definition.ts'
import type { AgentServices, ProjectServices } from '../types/services.ts'
import { type Capabilities, type Family, type PromptSection, resolveCapabilities } from './capabilities.ts'
import type { PromptPart } from './section.ts'
import { isTooMany } from './server-tools.ts'
import { toolSpec } from './tool-spec.ts'

/** The stored form of a thread's prompt and tools, which come before its conversation. */
export interface FrozenPrompt {
  /** Joined by blank lines when they are sent. */
  readonly sections: readonly PromptSection[]
  /** In the order in which they are sent. */
  readonly tools: readonly ToolSpec[]
  /** Names of tools that could be called after a search. Absent for none. */
  readonly hidden?: readonly string[]
}

export interface PreparedThread {
  /** The type as defined now. */
  readonly definition: AgentDefinition
  /** The fixed prompt, without the memory's index when memory is off. */
  readonly system: string
  /** Those of the first run, even if they are gone, and then what came since, in its order. */
  readonly toolSpecs: () => readonly ToolSpec[]
  /** The tools of `toolSpecs` that can still run. */
  readonly tools: () => readonly Tool[]
  /**
   * Entries to store before the next request; empty when nothing changed. With the start of the run it is what changed since the
   * last one, and later the tools that servers listed meanwhile.
   */
  readonly news: () => Commit
}

/**
 * Fixes prompt and tools at a thread's first run. So every later request begins with the same bytes and the provider
 * can cache them. A message announces later changes, once.
 */
export async function freezePrompt(
  services: AgentServices,
  threadId: ThreadId,
  family: Family,
): Promise<PreparedThread> {
  const thread = services.log.state.threads.get(threadId)
  if (!thread) throw new Error(`No thread ${threadId}`)
  if (thread.parent === null) await services.extensions.refresh()
  if (thread.parent === null) attachSkills(services, threadId)
  const now = resolveCapabilities(services, thread, family)
  const known = knownMemory(services, threadId)
  const { hidden } = now
  const present: FrozenPrompt = {
    ...{ sections: now.sections, tools: now.tools.map(toolSpec) },
    ...(hidden.length > 0 && { hidden: hidden.map(({ name }) => name) }),
  }
  const found = () => services.log.state.threads.get(threadId)?.prompt?.found ?? noneFound
  const prepared = (prompt: FrozenPrompt, opening: (fixed: ReturnType<typeof preparedThread>) => Commit) => {
    const fixed = preparedThread(prompt, now, known, found)
    return { ...fixed, news: newsOf(opening(fixed), () => lateTools(services, prompt, now, found())) }
  }
  const shared = thread.prompt === null ? parentPrompt(services, thread, now.definition) : null
  if (shared !== null) {
    const more: Commit = shared.found ? [{ type: 'tools.found', tools: [...shared.found] }] : []
    return prepared(readPrompt(services.blobs, shared.frozen), (fork) => {
      const notice = steerNoticeEntry(services.ids.next() as MessageId, forked(namesBeyond(fork)))
      return [{ type: 'thread.prepared', prompt: shared.frozen }, ...more, notice]
    })
  }
  if (thread.prompt === null) {
    return prepared(present, () => [{ type: 'thread.prepared', prompt: keep(services.blobs, present) }])
  }
  const { frozen, announced } = thread.prompt
  const fixed = readPrompt(services.blobs, frozen)
  return prepared(fixed, () => {
    if (thread.parent !== null) return []
    const shown = new Set(found().map(({ name }) => name))
    return tellChanges(services, announced, present, addedTools(fixed, now.tools, found()), shown)
  })
}

/** First what there is at the start, and then whatever came since. */
function newsOf(opening: Commit, later: () => Commit): () => Commit {
  let isOpened = false
  return () => {
    if (isOpened) return later()
    isOpened = true
    return opening
  }
}

/** The tools that servers listed since. A thread that searches finds them, and one that has too many now is told with its next run. */
function lateTools(
  { ids }: AgentServices,
  fixed: FrozenPrompt,
  now: Capabilities,
  found: readonly FoundTool[],
): Commit {
  const searches = [...fixed.tools, ...found].some(({ name }) => name === toolFacts.search_tools.name)
  const live = now.found()
  if (searches || isTooMany(live)) return []
  const added = addedTools(fixed, live, found)
  if (added.length === 0) return []
  const text = newTools(added.map(({ name }) => name))
  return [{ type: 'tools.found', tools: [...added] }, steerNoticeEntry(ids.next() as MessageId, text)]
}

function newTools(names: readonly string[]): string {
  return `New tools can be called now: ${names.join(', ')}.`
}

const noneFound: readonly FoundTool[] = []

/** A server may list other names at every moment, and a request keeps all that it once showed. */
const mostAdded = 100

/** Tools of servers that came since the prompt was fixed. They are shown after all others. */
function addedTools(fixed: FrozenPrompt, now: readonly Tool[], found: readonly FoundTool[]): readonly ToolSpec[] {
  const shown = new Set([...fixed.tools, ...found].map(({ name }) => name))
  const isOfServers = ({ name, serverTool }: Tool) => serverTool !== undefined || name === toolFacts.search_tools.name
  const room = Math.max(0, mostAdded - found.length)
  return now
    .filter((tool) => isOfServers(tool) && !shown.has(tool.name))
    .slice(0, room)
    .map(toolSpec)
}

/** The prompt of the agent above, which a fork of it has too. Null for any other agent. */
function parentPrompt(
  { log }: AgentServices,
  { parent }: ThreadState,
  { forks }: AgentDefinition,
): ThreadState['prompt'] {
  const above = forks && parent ? log.state.threads.get(parent.threadId) : undefined
  return above?.prompt ?? null
}

/** The tools that a fork is shown, because its parent is, and may not call. */
function namesBeyond({ toolSpecs, tools }: Pick<PreparedThread, 'toolSpecs' | 'tools'>): readonly string[] {
  return toolSpecs()
    .map(({ name }) => name)
    .filter((name) => !tools().some((tool) => tool.name === name))
}

export function readPrompt(blobs: BlobStore, hash: BlobHash): FrozenPrompt {
  return JSON.parse(new TextDecoder().decode(blobs.get(hash))) as FrozenPrompt
}

/** Whether the prompt shows the indexes of the memories. */
interface KnownMemory {
  readonly project: boolean
  readonly user: boolean
}

/** What a thread knows now. Both can be switched off after its prompt was fixed. */
export function knownMemory({ log, settings }: ProjectServices, threadId: ThreadId): KnownMemory {
  const project = knowsMemory(log.state, threadId)
  return { project, user: project && settings().userMemory }
}

/** The sections of a fixed prompt, without the indexes of memories that are switched off. */
export function sectionsToSend({ sections }: FrozenPrompt, known: KnownMemory): readonly PromptSection[] {
  return sections.filter(({ part }) => (part === 'memory' ? known.project : part !== 'user_memory' || known.user))
}

export function systemText(prompt: FrozenPrompt, known: KnownMemory): string {
  return sectionsToSend(prompt, known)
    .map(({ text }) => text)
    .join('\n\n')
}

/** The last prompt of each store: a thousand subagents of a batch begin with the same one. */
const lastKept = new WeakMap<BlobStore, { readonly prompt: FrozenPrompt; readonly hash: BlobHash }>()

function keep(blobs: BlobStore, prompt: FrozenPrompt): BlobHash {
  const last = lastKept.get(blobs)
  if (last && isSamePrompt(last.prompt, prompt)) return last.hash
  const hash = blobs.put(new TextEncoder().encode(JSON.stringify(prompt)))
  lastKept.set(blobs, { prompt, hash })
  return hash
}

function isSamePrompt(one: FrozenPrompt, other: FrozenPrompt): boolean {
  return (
    isSameList(one.sections, other.sections, (a, b) => a.part === b.part && a.text === b.text) &&
    isSameList(one.tools, other.tools, isSameTool) &&
    isSameList(one.hidden ?? [], other.hidden ?? [], (a, b) => a === b)
  )
}

function isSameTool(one: ToolSpec, other: ToolSpec): boolean {
  return one.name === other.name && one.description === other.description && one.inputSchema === other.inputSchema
}

function isSameList<Item>(one: readonly Item[], other: readonly Item[], isSame: (a: Item, b: Item) => boolean) {
  return one.length === other.length && one.every((item, index) => isSame(item, other[index] ?? item))
}

function preparedThread(
  prompt: FrozenPrompt,
  now: Capabilities,
  known: KnownMemory,
  found: () => readonly FoundTool[],
): Omit<PreparedThread, 'news'> {
  const own = now.tools.filter(({ serverTool }) => serverTool === undefined)
  return {
    definition: now.definition,
    system: systemText(prompt, known),
    toolSpecs: () => (found().length === 0 ? prompt.tools : [...prompt.tools, ...found()]),
    tools() {
      // Servers change their tools at any time.
      const byName = new Map([...own, ...now.found()].map((tool) => [tool.name, tool]))
      return [...prompt.tools, ...found()].flatMap(({ name }) => byName.get(name) ?? [])
    },
  }
}

/** The user's skills lie outside the project, so each thread gets copies that its agents can read, as they are now. */
function attachSkills({ extensions, scratch }: AgentServices, threadId: ThreadId): void {
  const known = new Map(scratch.list(threadId).map(({ name, size }) => [name, size]))
  for (const { attached } of extensions.current().skills)
    for (const { path, text } of attached()) {
      const bytes = new TextEncoder().encode(text)
      const isSame = known.get(path) === bytes.length && isEqual(scratch.read(threadId, path), bytes)
      if (!isSame) scratch.write(threadId, path, bytes)
    }
}

function isEqual(one: Uint8Array | undefined, other: Uint8Array): boolean {
  return one !== undefined && one.length === other.length && one.every((byte, index) => byte === other[index])
}

function tellChanges(
  { blobs, ids }: AgentServices,
  told: BlobHash,
  present: FrozenPrompt,
  added: readonly ToolSpec[],
  shown: ReadonlySet<string>,
): Commit {
  const names = added.map(({ name }) => name)
  const text = promptChanges(readPrompt(blobs, told), present, names, shown)
  if (text === null) return []
  const more: Commit = added.length > 0 ? [{ type: 'tools.found', tools: [...added] }] : []
  const notice = steerNoticeEntry(ids.next() as MessageId, text)
  return [{ type: 'thread.prepared', prompt: keep(blobs, present) }, ...more, notice]
}

/**
 * The parts whose changes a running thread is told about. It looks into memories on its own, and its guidance never
 * changes.
 */
const toldParts: readonly PromptPart[] = ['instructions', 'skills']

/**
 * The notice about changes since the last one; null when nothing changed. `added` names the tools that this change adds, and
 * `shown` the tools that earlier changes added to those of the fixed prompt.
 */
export function promptChanges(
  before: FrozenPrompt,
  after: FrozenPrompt,
  added: readonly string[] = [],
  shown: ReadonlySet<string> = new Set(),
): string | null {
  const texts = toldParts.flatMap((part) => {
    const [old, fresh] = [textOf(before, part), textOf(after, part)]
    if (old === fresh) return []
    return [
      fresh === '' ? `The ${part} you were given no longer hold.` : `The ${part} changed. They now are:\n\n${fresh}`,
    ]
  })
  const [old, now] = [new Set(callable(before)), new Set(callable(after))]
  const gone = namesIn(before).filter((name) => !now.has(name))
  if (gone.length > 0) texts.push(`These tools can no longer be called: ${gone.join(', ')}.`)
  const fresh = namesIn(after).filter((name) => !old.has(name))
  const later = fresh.filter((name) => !added.includes(name) && !shown.has(name))
  if (added.length > 0) texts.push(newTools(added))
  if (later.length > 0) texts.push(`New tools exist for threads that start from now on: ${later.join(', ')}.`)
  return texts.length === 0 ? null : texts.join('\n\n')
}

function textOf({ sections }: FrozenPrompt, part: PromptPart): string {
  return sections.flatMap((section) => (section.part === part ? [section.text] : [])).join('\n\n')
}

/** The names of all tools that can be called: those in the request, and those that a search adds. */
function callable(prompt: FrozenPrompt): readonly string[] {
  return [...namesIn(prompt), ...(prompt.hidden ?? [])]
}

function namesIn({ tools }: FrozenPrompt): readonly string[] {
  return tools.map(({ name }) => name)
}
