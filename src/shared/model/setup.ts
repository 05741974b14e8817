import type { VirtualPath } from './virtual-path.ts'

/** What makes a project ready for commands: once for all threads and branches, until an input changes. */
export interface SetupDefinition {
  /** A bash command line. It runs in the project's root. */
  readonly command: string
  /** Files whose content decides whether it runs again, from the project's root. Names or patterns. */
  readonly inputs: readonly string[]
  /** Hosts and presets of registries that it may reach. */
  readonly hosts: readonly string[]
}

/** A setup that the files of a folder call for. It never runs before a person accepted it. */
export interface SetupProposal extends SetupDefinition {
  /** The file that it was made from. */
  readonly source: VirtualPath
}

/** The setup of a project now. Times are in milliseconds since the Unix epoch. */
export type SetupState =
  /** No setup is set. */
  | { readonly kind: 'none' }
  /** It runs before the next command. */
  | { readonly kind: 'waiting'; readonly command: string }
  | {
      readonly kind: 'running'
      readonly command: string
      readonly startedAt: number
      /** The last lines of its output. */
      readonly lines: readonly string[]
    }
  | {
      readonly kind: 'ready'
      readonly command: string
      readonly at: number
      readonly durationMs: number
      /** On disk. */
      readonly bytes: number
      /** The first changed files that no rule ignores. Their changes were dropped. */
      readonly dropped: readonly string[]
      /** How many such files there were. */
      readonly droppedCount: number
    }
  /** Commands run without it, until it is started again or an input changes. */
  | {
      readonly kind: 'failed'
      readonly command: string
      readonly at: number
      /** What happened and what to do, in sentences for a person. */
      readonly reason: string
      readonly lines: readonly string[]
    }
