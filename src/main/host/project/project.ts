import type { AgentRuntime } from '#core/agent/runtime/runtime.ts'
import type { HostServices } from '#core/agent/types/services.ts'
import type { BranchMerges } from '#core/branches/branch-merges.ts'
import type { Decided, Stored } from '#core/commands/command.ts'
import type { DiskApply } from '#core/ports/disk-apply.ts'
import type { GitDelivery } from '#core/ports/git-delivery.ts'
import type { GitStorage, PatchCheck } from '#core/ports/git-storage.ts'
import type { Deflate } from '#core/ports/hashing.ts'
import type { ProjectInfo } from '#shared/contract/views/projects.ts'
import type { Sequence, ThreadId } from '#shared/model/ids.ts'
import type { ThreadState } from '#shared/model/thread.ts'
import type { Checkouts } from '../checkouts/checkouts.ts'
import type { OpenChecks } from '../checks/open-checks.ts'
import type { EventHub } from '../events/event-hub.ts'
import type { ProjectExtensions } from '../extensions/extension-source.ts'
import type { ProjectHooks } from '../hooks/hook-list.ts'
import type { McpServers } from '../mcp/mcp-servers.ts'
import type { OpenSetup } from '../setup/open-setup.ts'
import type { ProjectStorage } from '../storage/storage.ts'
import type { Terminals } from '../terminals/terminals.ts'
import type { OpenedFolder } from './open-folders.ts'

/**
 * One open project: its log, its agents and the services of commands. Disposing it stops the agents and releases the
 * lock.
 */
export interface Project extends AsyncDisposable {
  readonly info: () => ProjectInfo
  /** Absolute, with links resolved. Null for a scratch workspace. */
  readonly rootFolder: string | null
  readonly setTrusted: (trusted: boolean) => void
  /** Everything commands and queries read. Only `run` and the agents write. */
  readonly services: HostServices
  readonly runtime: AgentRuntime
  readonly merges: BranchMerges
  /** Stores a command's decision, or throws its refusal. */
  run<Answer>(decided: Decided<Answer>): Stored<Answer>
  /** Like `run`, for a command that always stores something. Returns the sequence of the entry to undo. */
  change(decided: Decided): { readonly sequence: Sequence }
  /** A thread and every subagent below it, parents first. Empty for a thread that does not exist. */
  readonly family: (threadId: ThreadId) => readonly ThreadState[]
  /** Returns a thread whose agents may run. Throws a refusal for any other. */
  requireActive(threadId: ThreadId): ThreadState
  readonly events: EventHub
  readonly extensions: ProjectExtensions
  readonly mcp: McpServers
  readonly hooks: ProjectHooks
  readonly diskApply: DiskApply | null
  readonly patchCheck: PatchCheck
  readonly gitStorage: GitStorage
  /** The first one is the project's own. */
  readonly folders: readonly Pick<OpenedFolder, 'root' | 'path' | 'isGone'>[]
  readonly gitDelivery: GitDelivery
  readonly deflate: Deflate
  readonly storage: ProjectStorage
  /** What makes the project ready for commands, and what could. */
  readonly setup: OpenSetup
  /** Merges when green, and what the folder proposes as checks. */
  readonly checks: OpenChecks
  /** Folders on disk that stand for branches. */
  readonly checkouts: Checkouts
  /** The terminals of people. */
  readonly terminals: Terminals
  /** What a person should know about the routes of the settings in this project: other names, and what is not used. */
  readonly routeNotes: readonly string[]
  readonly databaseFile: string
  /** The latest backup of a database that was damaged when it was opened. Null when there is none. */
  readonly lastBackup: string | null
}
