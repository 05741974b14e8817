import type { ZodType } from 'zod'
import type { JsonObject } from '#shared/base/json.ts'
import type { DiskNote, Drift } from '#shared/model/drift.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BlobHash, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { UserPart } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ToolFacts } from '#shared/tools/tool-facts.ts'
import type { OverlayTransaction } from '../overlay/overlay-transaction.ts'
import type { ToolFiles } from './namespace/prefixes.ts'

/**
 * A tool the model sees. `run` reports what went wrong as a failed output, and throws only bugs and the abort reason.
 * What it does to files is declared (`access`), so that rules hold for it without knowing it.
 */
export interface Tool<Arguments = unknown, Data = unknown> extends ToolFacts {
  readonly description: string
  readonly schema: ZodType<Arguments>
  /** The arguments' JSON Schema where a server declared it; else it is made of `schema`. */
  readonly inputSchema?: JsonObject
  /** Neighbouring calls of it start from the same tree and run at once. */
  readonly runsBesideItself?: true
  /** Its results stay in the conversation however long they are: it pages by itself. */
  readonly keepsLargeResults?: true
  /** Why a person is asked whatever settings and rules allow. */
  mustAsk?(args: Arguments, threadId: ThreadId): string | undefined
  /**
   * What `run` would do, for the approval card: the same code on a branch that is thrown away. Absent where running it
   * would reach further than the branch.
   */
  preview?(args: Arguments, context: ToolContext): Promise<ToolOutput>
  run(args: Arguments, context: ToolContext): Promise<ToolOutput<Data>>
  /** What a group of neighbouring calls does one after the other, in the model's order, when all have run. */
  conclude?(output: ToolOutput<Data>, context: ToolContext): Promise<ToolOutput>
}

/** What the thread knows of a file: the hash of the content it last read or wrote. */
export type ReadLedger = ReadonlyMap<VirtualPath, BlobHash>

export interface ToolContext {
  readonly threadId: ThreadId
  readonly callId: ToolCallId
  readonly agent: string
  /** The branch with the changes of this call so far; dropped as a whole when the call fails. */
  readonly files: ToolFiles
  /** The same branch without the stores behind prefixes: what merges, commands and patches are about. */
  readonly branch: OverlayTransaction
  /** What the call may do to files it does not name. */
  readonly access: FileAccess
  readonly reads: ReadLedger
  /** What the thread knows of files that moved on disk under its changes. */
  readonly disk: ReadonlyMap<VirtualPath, DiskNote>
  /** How the disk moved under a file the branch changed; null when it did not. Links are followed. */
  drift(path: VirtualPath): Promise<Drift | null>
  /** Hosts that a person let this call reach when they approved it. */
  readonly hosts: readonly string[]
  readonly signal: AbortSignal
  /** Shows output while the call runs; the result holds it again. */
  readonly onOutput: (text: string) => void
}

/** What an agent may do to files its call does not name: about them nobody is asked, so it is what needs no asking. */
export interface FileAccess {
  /** False when no setting could keep an agent from changing any file, so that folders need not be searched for one. */
  readonly protectsFiles: boolean
  mayRead(path: VirtualPath): boolean
  mayChange(path: VirtualPath): boolean
}

export interface ToolOutput<Data = unknown> {
  readonly ok: boolean
  /** What the tool's own `conclude` goes on with; the model never sees it. */
  readonly data?: Data
  readonly content: readonly UserPart[]
  /** What the thread now knows of files it read or wrote in this call. */
  readonly reads?: readonly (readonly [VirtualPath, BlobHash])[]
  /** For files it read that the branch changed and that moved on disk: the versions there. */
  readonly besides?: readonly (readonly [VirtualPath, string])[]
  /** What else happened, committed in the same transaction as the result. */
  readonly entries?: readonly EntryFromTool[]
  /** Tasks the call declared: the loop runs them as a batch, a call of its own. */
  readonly declares?: readonly JsonObject[]
}

export function textOutput(text: string, reads?: ToolOutput['reads']): ToolOutput<never> {
  return { ok: true, content: [{ type: 'text', text }], ...(reads && { reads }) }
}

export function failedOutput(message: string): ToolOutput<never> {
  return { ok: false, content: [{ type: 'text', text: message }] }
}

/** Results that are records reach the model as JSON. */
export function jsonOutput(value: unknown): ToolOutput<never> {
  return textOutput(JSON.stringify(value))
}

/** Forgets the arguments' type: the loop gives `run` only what the tool's own schema has parsed. */
export function anyTool<Arguments, Data>(tool: Tool<Arguments, Data>): Tool {
  return tool as unknown as Tool
}
