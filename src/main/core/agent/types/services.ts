import type { Clock } from '#shared/base/clock.ts'
import type { IdSource } from '#shared/base/id-source.ts'
import type { LiveEvent } from '#shared/model/event.ts'
import type { LogReader, ProjectLog } from '../../journal/project-log.ts'
import type { BaseTree } from '../../ports/base-tree.ts'
import type { BlobStore } from '../../ports/blob-store.ts'
import type { BranchViews } from '../../ports/branch-views.ts'
import type { CodeRunner } from '../../ports/code-runner.ts'
import type { Hashing } from '../../ports/hashing.ts'
import type { ModelClient } from '../../ports/model-client.ts'
import type { ScratchStore } from '../../ports/scratch-store.ts'
import type { Search } from '../../ports/search.ts'
import type { Shell } from '../../ports/shell.ts'
import type { TextMerge } from '../../ports/text-merge.ts'
import type { Prefixes } from '../../tools/namespace/prefixes.ts'
import type { DriftWatch } from '../drift/drift-watch.ts'
import type { ModelGate } from '../model/model-gate.ts'
import type { ExtensionSource } from './extensions.ts'
import type { AgentSettings } from './settings.ts'

/** All that works on one project, wired once; its log can be read. */
export interface ProjectServices {
  readonly log: LogReader
  readonly base: BaseTree
  readonly blobs: BlobStore
  readonly hashing: Hashing
  readonly textMerge: TextMerge
  readonly search: Search
  readonly scratch: ScratchStore
  readonly views: BranchViews
  readonly shell: Shell
  readonly runner: CodeRunner
  /** The client that serves a model's id. */
  readonly modelFor: (model: string) => ModelClient
  /** Tokens a model can take in. */
  readonly contextWindow: (model: string) => Promise<number>
  /** US dollars that a small task costs with a model; null where its price is not known. */
  readonly usualCost: (model: string) => number | null
  readonly modelGate: ModelGate
  readonly clock: Clock
  readonly ids: IdSource
  readonly random: () => number
  readonly prefixes: Prefixes
  readonly drift: DriftWatch
  readonly settings: () => AgentSettings
  /** Instructions, skills, agents and servers; a project's own only after it is trusted. */
  readonly extensions: ExtensionSource
  readonly announce: (event: LiveEvent) => void
}

/** The same for agents, which may write the log. */
export interface AgentServices extends ProjectServices {
  readonly log: ProjectLog
}
