import type { JsonObject } from '../../base/json.ts'
import type { BlobHash, LayerId, ToolCallId } from '../ids.ts'
import type { Patch } from '../patch.ts'
import type { VirtualPath } from '../virtual-path.ts'

/**
 * What a call did aside, kept back until a person decides or its turn comes. It holds everything that keeping it stores, so
 * the call never runs a second time.
 */
export interface Outcome {
  /** The arguments that ran. */
  readonly input: JsonObject
  /** True when a person edited them. */
  readonly edited: boolean
  /** Hash of the agent's tree that the run began with. */
  readonly tree: string
  /** The layers of the environment that the run began with, the oldest first. */
  readonly environment: readonly LayerId[]
  /** The call of the same reply that this one ran on top of; null for one that ran on the branch as it was. */
  readonly after: ToolCallId | null
  /** Why it ran again, as a sentence; null for a first run. */
  readonly ranAgain: string | null
  /** Changes of the branch; empty for none. */
  readonly patch: Patch
  /** The layers after the run; null when the run left the environment as it was. */
  readonly layers: readonly LayerId[] | null
  /** Files beside the project, such as inputs, that the run wrote or deleted. */
  readonly places: readonly PlaceWrite[]
  /** The `ToolResult` that the model reads once the outcome is kept, as JSON. */
  readonly result: BlobHash
  /** Null for a call that is no command, when a signal ended it, or when it could not be started. */
  readonly exitCode: number | null
  readonly refusedHosts: readonly string[]
  /** Number of ignored files that changed. */
  readonly ignoredChanges: number
  /** What a command left for later ones. Absent for nothing, and in older journals. */
  readonly left?: LeftBehind | undefined
  /** The commits and stashes that a command left in git alone. Absent for none. */
  readonly commits?: readonly MadeCommit[] | undefined
  /** The files that were hidden from a command that wrote something. Absent for none. */
  readonly missed?: readonly VirtualPath[] | undefined
  /** Content hashes of the files that the call read or wrote. */
  readonly reads: readonly (readonly [VirtualPath, BlobHash])[]
  /** Tasks that the command declared. They run once the result is kept. */
  readonly declares: readonly JsonObject[]
  readonly durationMs: number
  /** The variables that a Python run left; null for none. Absent for a call that has no such variables. */
  readonly python?: BlobHash | null | undefined
  /** The variables that a Python run began with; null for none. Absent as `python` is, and in older journals. */
  readonly pythonBefore?: BlobHash | null | undefined
  /** Fingerprints of the disk's version of files that it read, as in `tool.finished`. Absent for none. */
  readonly besides?: readonly (readonly [VirtualPath, string])[] | undefined
}

/** What a command left in ignored files, in `.git` and in its home. Later commands find it there, and may run it. */
export interface LeftBehind {
  /** Number of files, removed ones included, without what git and npm write down whatever they do. */
  readonly count: number
  /** How many of them were removed. */
  readonly deleted: number
  /** At most 200, what runs or is obeyed first. */
  readonly files: readonly LeftName[]
  /** The folders of all others, such as `/node_modules` or `~/.cache`. Absent for none. */
  readonly folders?: readonly string[] | undefined
}

export interface LeftName {
  /** In the project; that of its home begins with `~/`. A folder whose content was replaced ends with a slash. */
  readonly path: string
  readonly kind: LeftKind
  /** Absent for what was written. */
  readonly gone?: true | undefined
}

/** A hook of git, what a shell or interpreter runs at its start, settings, what may be run, and everything else. */
export const leftKinds = ['hook', 'start_file', 'setting', 'program', 'file'] as const
export type LeftKind = (typeof leftKinds)[number]

/** True for what later commands run or obey although nobody names it. */
export function runsUnnamed({ kind }: LeftName): boolean {
  return kind === 'hook' || kind === 'start_file' || kind === 'setting'
}

/** A commit or a stash that an agent made in its view and that the person's repository has not. It is no change of a file. */
export interface MadeCommit {
  readonly kind: 'commit' | 'stash'
  /** The folder of the repository: `/` for the project. */
  readonly repository: VirtualPath
  /** The branch or tag that leads to it, `HEAD` for none, or the name of the stash. */
  readonly branch: string
  /** Git's object id. */
  readonly id: string
  /** The first line of its message. */
  readonly subject: string
}

export interface PlaceWrite {
  readonly path: VirtualPath
  /** Null for a deleted file. */
  readonly blob: BlobHash | null
  /** What was there when it ran; null for nothing. Absent in older journals. */
  readonly was?: BlobHash | null | undefined
}

/** What a call did aside, as a card and scripts show it. Scripts read these field names (`coppice run --json`). */
export interface CallEffects {
  /** Null for a call that is no command, and when a signal ended it. */
  readonly exit_code: number | null
  /** What it printed, and the app's notes on it. Cut in the middle beyond `mostEffectText` characters. */
  readonly output: string
  readonly changes: {
    readonly written: readonly VirtualPath[]
    readonly deleted: readonly VirtualPath[]
    readonly renamed: readonly { readonly from: VirtualPath; readonly to: VirtualPath }[]
  }
  /** Hosts that the sandbox kept it from. */
  readonly hosts_refused: readonly string[]
  readonly duration_ms: number
  /** Number of ignored files that changed, such as installed packages. They are part of the environment. */
  readonly ignored_changes: number
  /** What a command left for later ones in ignored files, in `.git` and in its home. Absent for nothing. */
  readonly left_behind?: LeftBehind | undefined
  /** The commits and stashes that it left in git alone. Absent for none. */
  readonly commits?: readonly MadeCommit[] | undefined
  /** The files that were hidden from it although it wrote something. Absent for none. */
  readonly missed?: readonly VirtualPath[] | undefined
  /** True when the part that is cut out of `output` holds what looks like a key or a token. Absent for false. */
  readonly hidden_secrets?: true | undefined
  /** Parts of `output` that look like keys or tokens, as pairs of a start and an end in UTF-16 units. */
  readonly secrets: readonly (readonly [number, number])[]
  /** Number of tasks for subagents that it declared. They start when it is kept. Absent for none. */
  readonly tasks?: number | undefined
  /** The call of the same reply that was tried before and whose changes this one saw. Absent when it saw none. */
  readonly after?: ToolCallId | undefined
  /** Why it ran again and is shown once more, as a sentence. Absent for a first run. */
  readonly ran_again?: string | undefined
}

/** Most characters of `CallEffects.output`. */
export const mostEffectText = 64 * 1024
