import type { ZodType } from 'zod'
import type { OverlayTransaction, Tree } from '#overlay'
import type { JsonObject } from '#shared/base/json.ts'
import type { LeftBehind, MadeCommit } from '#shared/model/calls/outcome.ts'
import type { DiskNote, Drift } from '#shared/model/drift.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BlobHash, LayerId, ThreadId, ToolCallId } from '#shared/model/ids.ts'
import type { UserPart } from '#shared/model/message.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ToolFacts } from '#shared/tools/tool-facts.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import type { ToolFiles } from './namespace/prefixes.ts'

/**
 * A tool that the model sees. `run` returns a failure as a failed output, and throws only bugs and the abort reason.
 * `access` declares what the tool does to files, so that rules apply without knowing the tool.
 */
export interface Tool<Arguments = unknown, Data = unknown> extends ToolFacts {
  /** The model reads it to decide when to call the tool. */
  readonly description: string
  /** Checked before `run`. Arguments that do not fit give a failed output. */
  readonly schema: ZodType<Arguments>
  /** True for a tool of a server that requests show however many there are. Absent for false. */
  readonly alwaysShown?: true
  /** The name under which a server lists it; absent for a built-in tool. */
  readonly serverTool?: string
  /** JSON Schema of the arguments, as a server declared it. Derived from `schema` when absent. */
  readonly inputSchema?: JsonObject
  /** Neighbouring calls of this tool start from the same tree and run at the same time. */
  readonly runsBesideItself?: true
  /** Its results stay in the conversation at any length, because the tool pages its own output. */
  readonly keepsLargeResults?: true
  /** Why a person must be asked, whatever settings and rules allow. Undefined when there is no such reason. */
  mustAsk?(args: Arguments, threadId: ThreadId): string | undefined
  /**
   * What `run` would do, found without doing it, for rules and the approval card. Absent for a tool whose effects are known
   * only from a run.
   */
  preview?(args: Arguments, context: ToolContext): Promise<ToolOutput>
  /** A failed output changes nothing on the branch. */
  run(args: Arguments, context: ToolContext): Promise<ToolOutput<Data>>
  /** Called after every call of its group has run, for one call at a time in the model's order. */
  conclude?(output: ToolOutput<Data>, context: ToolContext): Promise<ToolOutput>
}

/** The thread's knowledge of files: the hash of the content it last read or wrote, by path. */
export type ReadLedger = ReadonlyMap<VirtualPath, BlobHash>

export interface ToolContext {
  /** The thread that made the call. */
  readonly threadId: ThreadId
  /** Unique within the thread's family. */
  readonly callId: ToolCallId
  /** Name of the calling agent, for records. */
  readonly agent: string
  /** The branch with this call's changes so far. They are dropped as a whole when the call fails. */
  readonly files: ToolFiles
  /** The same branch without the stores behind prefixes. Merges, commands and patches work on it. */
  readonly branch: OverlayTransaction
  /** The access of the call to files that it does not name. */
  readonly access: FileAccess
  /** The ledger as it was when the call started. */
  readonly reads: ReadLedger
  /** Notes on files that changed on disk below the thread's changes, by path. */
  readonly disk: ReadonlyMap<VirtualPath, DiskNote>
  /** How the disk changed below a file that the branch changed; null when it did not. Links are followed. */
  drift(path: VirtualPath): Promise<Drift | null>
  /** The layers that a command finds, when it runs on top of calls that were tried. Absent for those of the branch. */
  readonly environment?: readonly LayerId[]
  /** The variables that Python finds, when it runs on top of such calls. Absent for those of the thread. */
  readonly python?: BlobHash | null
  /** True when nothing that the call changes is kept, as in *Plan*. Absent for false. */
  readonly drops?: boolean
  /** Hosts that a person let this call reach when they approved it. */
  readonly hosts: readonly string[]
  /** Aborted when the run is stopped. Throw its reason then. */
  readonly signal: AbortSignal
  /** Shows output while the call runs. The result must contain it again, unless it only says how far the call is. */
  readonly onOutput: (text: string) => void
}

export interface ToolOutput<Data = unknown> {
  /** False drops all changes of the call. */
  readonly ok: boolean
  /** True when a person stopped this call, and not the whole run. It then counts as stopped in place of failed. */
  readonly stopped?: true
  /** Data for the tool's own `conclude`. The model never sees it. */
  readonly data?: Data
  /** What the model reads as the result. */
  readonly content: readonly UserPart[]
  /** New entries of the read ledger, for files that this call read or wrote. */
  readonly reads?: readonly (readonly [VirtualPath, BlobHash])[]
  /** Fingerprints of the disk's version of files that it read, when both the branch and the disk changed them. */
  readonly diskVersionsSeen?: readonly (readonly [VirtualPath, string])[]
  /** Further entries, committed in the same transaction as the result. */
  readonly entries?: readonly EntryFromTool[]
  /** Tasks that the call declared. The loop runs them as a batch, in a separate call. */
  readonly declares?: readonly JsonObject[]
  /**
   * Tasks that the call waits for. The loop runs them as a batch and then runs the call again; the rest of the output does
   * not count. Absent for a call that has ended.
   */
  readonly awaits?: readonly JsonObject[]
  /**
   * The branch that the output was judged on, such as by checks. When the branch is another one by the time the result is
   * stored, the call fails and changes nothing. Absent for any branch that the changes still apply to.
   */
  readonly judgedOn?: Tree
  /** The server to which a person has to log in before such a call works. Absent for none. */
  readonly login?: string
  /** How a command ended. Absent for other tools, and for a command that could not be started. */
  readonly command?: CommandEnd
}

export interface CommandEnd {
  /** Null when a signal ended it. */
  readonly exitCode: number | null
  /** Hosts that the sandbox kept it from. */
  readonly refusedHosts: readonly string[]
  /** Number of ignored files that it changed. */
  readonly ignoredChanges: number
  /** What it left for later ones. Absent for nothing. */
  readonly left?: LeftBehind
  /** The commits and stashes that it left in git alone. Absent for none. */
  readonly commits?: readonly MadeCommit[]
  /** The hidden files without which it made what it wrote. Absent for none. */
  readonly missed?: readonly VirtualPath[]
}

export function textOutput(text: string, reads?: ToolOutput['reads']): ToolOutput<never> {
  return { ok: true, content: [{ type: 'text', text }], ...(reads && { reads }) }
}

export function failedOutput(message: string): ToolOutput<never> {
  return { ok: false, content: [{ type: 'text', text: message }] }
}

/** A result as JSON for the model. */
export function jsonOutput(value: unknown): ToolOutput<never> {
  return textOutput(JSON.stringify(value))
}

/** Removes the type of the arguments. The loop passes `run` only what the tool's own schema has parsed. */
export function anyTool<Arguments, Data>(tool: Tool<Arguments, Data>): Tool {
  return tool as unknown as Tool
}
