import type { MadeCommit } from '#shared/model/calls/outcome.ts'
import type { EntryFromTool } from '#shared/model/entry.ts'
import type { BranchId, LayerId, ToolCallId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Evicted, MountCapture } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import { keepChanges } from '../../trial/keep.ts'
import { openTrial, type Trial, type TrialRequest, type TrialServices } from '../../trial/open-trial.ts'
import { layersAfter, sameLayers } from '../../trial/outcome.ts'
import { type RefusedChange, takeOverPlaces } from '../../trial/place-changes.ts'
import type { ToolContext } from '../tool.ts'

type TrialContext = Pick<ToolContext, 'access' | 'branch' | 'files' | 'signal' | 'environment'>

/** The trial of code that runs without approval: without `.git`, and without what commands left. */
export interface CodeTrial extends Trial {
  /** Turns the code's changes into changes of the call: all of them, or none and a `FileTreeError`. */
  keep(): Promise<KeptCode>
}

export interface KeptCode extends Pick<MountCapture, 'ignoredChanges' | 'refusedLinks' | 'notKept'> {
  /** Number of files that changed, in the project and in the places beside it. */
  readonly changedFiles: number
}

/** Opens the calling thread's branch for code, with the call's changes so far and the places beside it. */
export type OpenCodeTrial = (context: TrialContext) => Promise<CodeTrial>

/** Its view is another one than that of commands, because commands run what is left in theirs. */
export function createOpenCodeTrial(services: TrialServices, branchId: BranchId): OpenCodeTrial {
  return async ({ access, branch, files, signal }) => {
    const request: TrialRequest = {
      ...{ owner: `${branchId} code`, access, branch, files, environment: null },
      lifetime: 'once',
      // Places hold nothing that a command runs, so code and commands of a branch share them.
      places: { owner: branchId, places: files.places(), sealed: false },
    }
    const trial = await openTrial(services, request, signal)
    return {
      ...trial,
      async keep() {
        const captured = await trial.capture(false)
        await keepChanges(branch, captured.changes, trial, access.mayChange)
        const { taken, refused } = await takeOverPlaces({ access, files }, trial.view.places, captured.placeChanges)
        if (refused[0]) throw refusedPlace(refused[0])
        const changed = captured.changes.filter(({ kind }) => kind !== 'directory').length
        const { ignoredChanges, refusedLinks = [], notKept = [] } = captured
        return { ignoredChanges, refusedLinks, notKept, changedFiles: changed + taken.length }
      },
    }
  }
}

function refusedPlace({ path, why }: RefusedChange): FileTreeError {
  const text = `${JSON.stringify(path)} was not kept (${why}). None of the run’s changes were kept.`
  return new FileTreeError('refused', path as VirtualPath, text)
}

export interface KeptCommand extends MountCapture {
  /** The commits and stashes that the command left in git alone. */
  readonly commits: readonly MadeCommit[]
}

/** The trial of a command: with `.git`, but without credentials in the settings of git. */
export interface CommandTrial extends Trial {
  /** The branch that it shows. */
  readonly branchId: BranchId
  /** What the agent must know about the project's setup. Null for nothing new. */
  readonly setupNote: string | null
  /**
   * Captures what the command changed and turns it into changes of the call: all of it, or none and a `FileTreeError`.
   * What it left in ignored files is kept only when it `isWhole`.
   */
  keep(isWhole: boolean): Promise<KeptCommand>
  /** The capture to report when nothing of a trial is kept. */
  readonly nothing: KeptCommand
  /** What the journal must say for the next command to find what this one left. */
  entries(captured: MountCapture, callId: ToolCallId): readonly EntryFromTool[]
}

export interface KeptCommand extends MountCapture {
  /** What of it is shown elsewhere, because a process that ended meanwhile left something at the same path. */
  readonly evicted: readonly Evicted[]
}

/** Opens the calling thread's branch for a command, with the call's changes so far and the places beside it. */
export type OpenCommandTrial = (context: TrialContext) => Promise<CommandTrial>

export interface CommandTrialOptions {
  /** True when a sandbox keeps commands from writing to places that they may only read. */
  readonly isConfined: () => boolean
  /** The layers of the branch's environment as the journal has them now. */
  readonly environment: () => readonly LayerId[]
  /** What the command finds of them, and of the project's setup. `note` is for the agent, null for nothing new. */
  readonly prepare: (
    own: readonly LayerId[],
    signal: AbortSignal,
  ) => Promise<{ readonly layers: readonly LayerId[]; readonly note: string | null }>
}

export function createOpenCommandTrial(
  services: TrialServices,
  owner: BranchId,
  { isConfined, environment, prepare }: CommandTrialOptions,
): OpenCommandTrial {
  return async ({ access, branch, files, signal, environment: given }) => {
    const before = given ?? environment()
    const prepared = await prepare(before, signal)
    const request: TrialRequest = {
      ...{ owner, access, branch, files, environment: prepared.layers, temporaryOf: owner },
      lifetime: 'reused',
      places: { owner, places: files.places(), sealed: !isConfined() },
    }
    const trial = await openTrial(services, request, signal)
    return {
      ...trial,
      branchId: owner,
      setupNote: prepared.note,
      nothing: {
        changes: [],
        ignoredChanges: 0,
        placeChanges: [],
        environment: prepared.layers,
        evicted: [],
        commits: [],
      },
      entries({ environment: layers }, callId) {
        return sameLayers(layers, before) ? [] : [{ type: 'environment.changed', branchId: owner, layers, callId }]
      },
      async keep(isWhole) {
        try {
          const captured = await trial.capture(isWhole)
          await keepChanges(branch, captured.changes, trial)
          // A process may have ended meanwhile, and left something too.
          const lists = { opened: prepared.layers, before, now: given ?? environment() }
          const { layers, evicted } = await layersAfter(services.mounts, captured, lists)
          const commits = await services.mounts.findCommits(layers, prepared.layers)
          return { ...captured, environment: layers, evicted, commits }
        } catch (error) {
          trial.drop()
          throw error
        }
      },
    }
  }
}
