import type { Clock } from '#shared/base/clock.ts'
import type { IdSource } from '#shared/base/id-source.ts'
import type { JsonObject } from '#shared/base/json.ts'
import type { Result } from '#shared/base/result.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { ProjectChecks } from '../../checks/project-checks.ts'
import type { ListedLog, LogReader, ProjectLog } from '../../journal/project-log.ts'
import type { BaseTree } from '../../ports/base-tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { BranchMounts } from '../../ports/branch-mounts.ts'
import type { CodeRunner } from '../../ports/code-runner.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { PageReader } from '../../ports/page-reader.ts'
import type { AgentModels, ExternalAgents, ToolServer } from '../../ports/programs/external-agent.ts'
import type { JsonPrograms } from '../../ports/programs/json-programs.ts'
import type { FolderBeside } from '../../ports/real-folder.ts'
import type { FileScan, Search } from '../../ports/search.ts'
import type { CommandShell } from '../../ports/shell.ts'
import type { ScratchStore } from '../../ports/stores/scratch-store.ts'
import type { UserMemoryReader } from '../../ports/stores/user-memories.ts'
import type { TextMerge } from '../../ports/text-merge.ts'
import type { ProjectSetup } from '../../setup/project-setup.ts'
import type { Prefixes } from '../../tools/namespace/prefixes.ts'
import type { Route } from '../../tools/namespace/routes.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { ExtensionSource, HookList } from './extensions.ts'
import type { ModelServices } from './model-services.ts'
import type { AgentSettings } from './settings.ts'

/** Everything needed to work on one project, wired once. Its log can only be read. */
export interface ProjectServices extends ModelServices {
  /** What agents are told about the project; the folder is null for a workspace in memory. */
  readonly place: {
    readonly name: string
    readonly folder: string | null
    /** The project's other folders, with where agents have each. */
    readonly others: readonly { readonly root: VirtualPath; readonly folder: string }[]
  }
  /** Read-only. Only agents and commands of people write. */
  readonly log: LogReader
  /** The user's folder, read-only here. */
  readonly base: BaseTree
  /** Contents of files, shared by all branches. */
  readonly blobs: BlobStore
  /** SHA-256 for content, git's object ids for patches. */
  readonly hashing: Hashing
  /** Compares and merges texts without blocking the process. */
  readonly textMerge: TextMerge
  /** Searches base and overlay together. */
  readonly search: Search & FileScan
  /** Results, history and inputs, one set for each root thread. */
  readonly scratch: ScratchStore
  /** The memories for all projects. Writes go through the journal. */
  readonly userMemories: UserMemoryReader
  /** Branches as real files, for commands and scripts. */
  readonly mounts: BranchMounts
  /** Runs commands in a mount, and in a sandbox if the system has one. */
  readonly shell: CommandShell
  /** Hooks of the person and of the project. */
  readonly hooks: HookList
  /** Speaks with external agents. */
  readonly externalAgents: ExternalAgents
  /** What they said of their models. */
  readonly agentModels: AgentModels
  /** Lets them call our tools. */
  readonly toolServer: ToolServer
  /** What makes the project ready for commands. */
  readonly setup: ProjectSetup
  /** The checks of the project. */
  readonly checks: ProjectChecks
  /** Runs JavaScript and Python in child processes. */
  readonly runner: CodeRunner
  /** The user's own programs and servers that speak lines of JSON. */
  readonly programs: JsonPrograms
  /** Reads pages of the web, where the person's settings let agents do that. */
  readonly pages: PageReader
  /** The JSON of an answer that fits a JSON Schema, without what stands around it; or what is wrong with the answer. */
  readonly readAnswer: (schema: JsonObject, answer: string) => Result<string, string>
  /** Milliseconds since the Unix epoch. */
  readonly clock: Clock
  /** Makes ids that are never used again. */
  readonly ids: IdSource
  /** At least 0 and less than 1, as `Math.random`. */
  readonly random: () => number
  /** Chosen when the project was opened, so that they hide none of its files. */
  readonly prefixes: Prefixes
  /** The places beside the project, built-in and added, each with what keeps its files. */
  readonly routes: readonly Route[]
  /** The real folders among them that programs may read. */
  readonly foldersBeside: readonly FolderBeside[]
  /** Files that changed on disk since an agent used them. */
  readonly drift: DriftWatch
  /** The settings as they were a few milliseconds ago at most, narrowed by the project. */
  readonly settings: () => AgentSettings
  /** Instructions, skills, agents and servers; a project's own only after it is trusted. */
  readonly extensions: ExtensionSource
  /** Announces live events, which are not stored. Entries of the log announce themselves. */
  readonly announce: (event: LiveEvent) => void
}

/** The services as everything around core has them: the log goes through what is loaded, and looks nothing up in it. */
export interface HostServices extends ProjectServices {
  readonly log: ListedLog
}

/** The services of agents, which may also write the log. */
export interface AgentServices extends ProjectServices {
  /** The same log, with the right to commit. */
  readonly log: ProjectLog
  /** The commit that the project's folder is at now. Null for none; absent where there is no folder. */
  readonly headCommit?: () => string | null
}
