import type { LeafChange, Tree } from '#overlay'
import type { Clock } from '#shared/base/clock.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { Call } from '#shared/model/calls/call.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { LiveEventBody } from '#shared/model/event.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import type { ApprovalMode, ThreadState } from '#shared/model/thread.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { CallAccess, ToolFacts } from '#shared/tools/tool-facts.ts'
import type { FileEffect } from '../../approval/effects.ts'
import type { Judge } from '../../approval/policy.ts'
import type { MemoryTrace } from '../../memory/memory-files.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { PrefixName } from '../../tools/namespace/prefixes.ts'
import type { Tool, ToolContext } from '../../tools/tool.ts'
import type { Ground } from '../../trial/outcome.ts'
import type { CallStages } from '../stages/agent-stages.ts'

/**
 * Everything one call works on. `commitStores` keeps its writes outside the overlay and returns its changes of the
 * memory.
 */
export interface CallWorkspace extends Pick<ToolContext, 'files' | 'branch' | 'drift' | 'access'> {
  /** The branch as it was when the call began. */
  readonly before: Tree
  /** What the call did so far to files beside the project, such as memories. */
  readonly effectsBeside: () => Promise<readonly FileEffect[]>
  /**
   * Makes changes durable that are not stored with the result: real folders and the texts of all projects. Call before
   * `commitStores`. Throws `FileTreeError`.
   */
  readonly commitOutside: () => Promise<void>
  /** The files that `commitOutside` has changed. */
  readonly changedOutside: () => readonly VirtualPath[]
  /**
   * Call when the result is stored. Deletes what the call moved to where only the result keeps it. Returns a sentence for
   * the agent when it could not be deleted.
   */
  readonly finishOutside: () => Promise<string | undefined>
  /** Call once, and only for a successful call. The trace belongs in the same commit as the result. */
  readonly commitStores: () => MemoryTrace
}

/** The agent's branch as it is now, and what can be told about its trees. */
export interface BranchState {
  readonly tree: () => Tree
  /** What a trial runs on when nothing waits before it: the files and layers of the branch as they are. */
  readonly ground: () => Ground
  readonly hashOf: (tree: Tree) => string
  /** Every file that differs, sorted by path. A rename is one change, under its new path. */
  readonly changesBetween: (before: Tree, after: Tree) => Promise<readonly LeafChange[]>
  /** Content of the branch. */
  readonly blobs: Pick<BlobStore, 'put' | 'get'>
  /** The rules of the settings, read for every question. */
  readonly rules: () => PermissionRules
  /** Hosts, and ports and sockets of this machine, that every command of the project may reach. A run that may reach one can have an effect there. */
  readonly hosts: () => readonly string[]
}

/** What a person allowed one call. */
export interface CallApproval {
  readonly approved: boolean
  /** The paths that the call names and changes. Empty for a call that nobody approved. */
  readonly written: readonly VirtualPath[]
}

/**
 * Everything that executing the calls of one thread may use. Read the thread again after every commit. Members are
 * functions of their own, without `this`, so that a part can be taken out and passed on.
 */
export interface CallContext {
  /** The thread whose calls these are: a root thread or a subagent's. */
  readonly threadId: ThreadId
  /** The tools that can run. Read them anew for each step, because a call may find more. */
  readonly tools: readonly Tool[]
  /** Reads the settings for every question. */
  readonly judge: Judge
  readonly stages: CallStages
  /** Hosts that every command of the agent may reach, because its definition says so. */
  readonly hosts: readonly string[]
  readonly branch: BranchState
  /** Times are milliseconds since the Unix epoch. */
  readonly clock: Clock
  readonly limits: {
    /** Most tokens of a result that stay in the conversation; Infinity without a limit. */
    readonly resultTokens: number
  }
  /** The folded state as it is now. Throws when the thread does not exist. */
  readonly thread: () => ThreadState
  /** The thread's current mode, or a stricter one of an agent above it. */
  readonly approvalMode: () => ApprovalMode
  /** The files that a call reads and writes: its paths as written, and the paths that their links lead to. */
  readonly accessOf: (tool: ToolFacts, args: JsonObject) => Promise<CallAccess>
  /**
   * The branch as it is now, for one call; its changes wait for the commit. A call that a person approved may change
   * files that ask, and the files of real folders that it names. With `tree`: as if the branch had these files.
   */
  readonly openWorkspace: (signal: AbortSignal, approval: CallApproval, tree?: Tree) => Promise<CallWorkspace>
  /** Why a person must be asked about changes of these paths: they are real files. Undefined for all others. */
  readonly realFileReason: (access: CallAccess) => string | undefined
  /**
   * What a patch does to the files of a call, and what the call did beside the project. Empty when no rule and no setting
   * is about files, unless `always`.
   */
  readonly effectsOf: (
    workspace: Pick<CallWorkspace, 'before' | 'effectsBeside'>,
    patch: Patch,
    always: boolean,
  ) => Promise<readonly FileEffect[]>
  /** The files that a call would change whose tool can say so without running. Empty when no rule and no setting asks. */
  readonly foreseeEffects: (call: Call, tool: Tool, signal: AbortSignal) => Promise<readonly FileEffect[]>
  /** What a command will find of the project's setup, in a few words. Null when no setup is set. */
  readonly describeEnvironment: () => Promise<string | null>
  /** False when someone else changed the branch while the call ran. */
  readonly stillApplies: (patch: Patch) => boolean
  /** The entries with a checkpoint behind them, to which a person can go back. */
  readonly withCheckpoint: (entries: Commit) => Commit
  /** Stores a text beside the project and returns the path where the agent can read it. */
  readonly keepText: (prefix: PrefixName, name: string, text: string) => VirtualPath
  /** Resolves when no decision is missing. Rejects with the abort reason. */
  readonly untilDecided: (signal: AbortSignal) => Promise<void>
  /** Announces an event at once; nothing is stored. */
  readonly live: (event: LiveEventBody) => void
  /** A new id, unique in the project. */
  readonly nextId: () => string
}

/** Entries that the loop wants stored, in one transaction. */
export type Commit = readonly EntryFromTool[]

/** `moved_on`: someone else changed the branch meanwhile, so the whole commit was dropped. */
export type CommitOutcome = 'stored' | 'moved_on'

/** A part of the loop. It yields entries to store and is resumed with the outcome. */
export type LoopSteps<Result = void> = AsyncGenerator<Commit, Result, CommitOutcome>
