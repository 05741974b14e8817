import { type ZodType, z } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import type { BlobHash, MessageId, ThreadId } from '#shared/model/ids.ts'
import { knowsMemory } from '#shared/model/project-state.ts'
import type { ThreadState } from '#shared/model/thread.ts'
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

/** The stored form of a thread's prompt and tools, which come before its conversation. */
export interface FrozenPrompt {
  /** Joined by blank lines when they are sent. */
  readonly sections: readonly PromptSection[]
  /** In the order in which they are sent. */
  readonly tools: readonly ToolSpec[]
}

export interface PreparedThread {
  /** The type as defined now. */
  readonly definition: AgentDefinition
  /** The fixed prompt, without the memory's index when memory is off. */
  readonly system: string
  /** Fixed at the first run, even for tools that are gone. */
  readonly toolSpecs: readonly ToolSpec[]
  /** The tools of `toolSpecs` that can still run. */
  readonly tools: readonly Tool[]
  /** Entries to store with the start of the run; empty when nothing changed. */
  readonly opening: Commit
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
  const present: FrozenPrompt = { sections: now.sections, tools: now.tools.map(toolSpec) }
  const shared = thread.prompt === null ? parentPrompt(services, thread, now.definition) : null
  if (shared !== null) {
    const prepared = preparedThread(readPrompt(services.blobs, shared), now, known)
    const notice = steerNoticeEntry(services.ids.next() as MessageId, forked(namesBeyond(prepared)))
    return { ...prepared, opening: [{ type: 'thread.prepared', prompt: shared }, notice] }
  }
  if (thread.prompt === null) {
    const opening: Commit = [{ type: 'thread.prepared', prompt: keep(services.blobs, present) }]
    return { ...preparedThread(present, now, known), opening }
  }
  const opening = thread.parent === null ? tellChanges(services, thread.prompt.announced, present) : []
  return { ...preparedThread(readPrompt(services.blobs, thread.prompt.frozen), now, known), opening }
}

/** The prompt of the agent above, which a fork of it has too. Null for any other agent. */
function parentPrompt({ log }: AgentServices, { parent }: ThreadState, { forks }: AgentDefinition): BlobHash | null {
  const above = forks && parent ? log.state.threads.get(parent.threadId) : undefined
  return above?.prompt?.frozen ?? null
}

/** The tools that a fork is shown, because its parent is, and may not call. */
function namesBeyond({ toolSpecs, tools }: Pick<PreparedThread, 'toolSpecs' | 'tools'>): readonly string[] {
  return toolSpecs.map(({ name }) => name).filter((name) => !tools.some((tool) => tool.name === name))
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
    isSameList(one.tools, other.tools, isSameTool)
  )
}

function isSameTool(one: ToolSpec, other: ToolSpec): boolean {
  return one.name === other.name && one.description === other.description && one.inputSchema === other.inputSchema
}

function isSameList<Item>(one: readonly Item[], other: readonly Item[], isSame: (a: Item, b: Item) => boolean) {
  return one.length === other.length && one.every((item, index) => isSame(item, other[index] ?? item))
}

function preparedThread(prompt: FrozenPrompt, now: Capabilities, known: KnownMemory): Omit<PreparedThread, 'opening'> {
  return {
    definition: now.definition,
    system: systemText(prompt, known),
    toolSpecs: prompt.tools,
    tools: prompt.tools.flatMap(({ name }) => now.tools.filter((tool) => tool.name === name)),
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

function tellChanges({ blobs, ids }: AgentServices, told: BlobHash, present: FrozenPrompt): Commit {
  const text = promptChanges(readPrompt(blobs, told), present)
  if (text === null) return []
  return [{ type: 'thread.prepared', prompt: keep(blobs, present) }, steerNoticeEntry(ids.next() as MessageId, text)]
}

function toolSpec({ name, description, inputSchema, schema }: Tool): ToolSpec {
  return { name, description, inputSchema: inputSchema ?? jsonSchemaOf(schema) }
}

/** Each schema is converted once; its JSON is the same for every thread of a batch. */
const jsonSchemas = new WeakMap<ZodType, JsonObject>()

function jsonSchemaOf(schema: ZodType): JsonObject {
  const known = jsonSchemas.get(schema)
  if (known) return known
  const { $schema: _, ...made } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as JsonObject
  jsonSchemas.set(schema, made)
  return made
}

/**
 * The parts whose changes a running thread is told about. It looks into memories on its own, and its guidance never
 * changes.
 */
const toldParts: readonly PromptPart[] = ['instructions', 'skills']

/** The notice about changes since the last one; null when nothing changed. */
export function promptChanges(before: FrozenPrompt, after: FrozenPrompt): string | null {
  const texts = toldParts.flatMap((part) => {
    const [old, fresh] = [textOf(before, part), textOf(after, part)]
    if (old === fresh) return []
    return [
      fresh === '' ? `The ${part} you were given no longer hold.` : `The ${part} changed. They now are:\n\n${fresh}`,
    ]
  })
  const gone = namesIn(before).filter((name) => !namesIn(after).includes(name))
  if (gone.length > 0) texts.push(`These tools can no longer be called: ${gone.join(', ')}.`)
  const fresh = namesIn(after).filter((name) => !namesIn(before).includes(name))
  if (fresh.length > 0) texts.push(`New tools exist for threads that start from now on: ${fresh.join(', ')}.`)
  return texts.length === 0 ? null : texts.join('\n\n')
}

function textOf({ sections }: FrozenPrompt, part: PromptPart): string {
  return sections.flatMap((section) => (section.part === part ? [section.text] : [])).join('\n\n')
}

function namesIn({ tools }: FrozenPrompt): readonly string[] {
  return tools.map(({ name }) => name)
}
