import type { HostServices } from '#core/agent/types/services.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { findHead } from '#core/commands/changes.ts'
import { type Decided, type Stored, unwrap } from '#core/commands/command.ts'
import { endTerminal, startTerminal } from '#core/commands/terminals.ts'
import { treeAt } from '#core/journal/rewind.ts'
import type { MountCapture } from '#core/ports/branch-mounts.ts'
import { keepChanges } from '#core/trial/keep.ts'
import { openTrial, type Trial, type TrialRequest } from '#core/trial/open-trial.ts'
import { layersAfter, sameLayers } from '#core/trial/outcome.ts'
import { createOverlayTransaction, type Tree } from '#overlay'
import type { BranchId, LayerId, Sequence } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { TerminalRecord } from '#shared/model/process.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import type { OpenSetup } from '../setup/open-setup.ts'

/** What terminals in branches need of an open project. */
export interface BranchTerminalSources {
  readonly services: HostServices
  readonly setup: Pick<OpenSetup, 'choice' | 'runs'>
  /** Stores a command's decision, or throws its refusal. */
  readonly run: (decided: Decided) => Stored<undefined>
  readonly report: (problem: string, error: unknown) => void
}

/** The trial of a person's shell in a branch. The commands of agents have others. */
export interface BranchTerminal extends Pick<Trial, 'view'>, AsyncDisposable {
  /** The journal knows from now on that the shell runs. Throws a refusal. */
  start(): void
  /**
   * Stores what was changed, as what waits for the person's decision, and returns its paths. Call once, after the shell
   * has ended.
   */
  end(): Promise<readonly string[]>
}

export async function openBranchTerminal(
  sources: BranchTerminalSources,
  branchId: BranchId,
  terminalId: string,
  signal: AbortSignal,
): Promise<BranchTerminal> {
  const { services, run } = sources
  const tree = unwrap(findHead(services, branchId))
  const { trial, finish } = await open(sources, { branchId, terminalId, tree }, 'once', signal)
  return {
    view: trial.view,
    start: () => void run(startTerminal(services, branchId, terminalId)),
    async end() {
      const record = findTerminal(services.log.state, terminalId)
      if (!record) return []
      const { patch, findLayers } = await finish(true).catch((error: unknown) => {
        run(endTerminal(record, [], null))
        throw error
      })
      run(endTerminal(record, patch, await findLayers()))
      return patch.map(([path]) => path)
    },
    [Symbol.asyncDispose]: () => trial[Symbol.asyncDispose](),
  }
}

/** The owners of the views of terminals that ran when the app was killed. */
export function viewsOfLostTerminals({ log }: Pick<HostServices, 'log'>): readonly string[] {
  return lostTerminals(log).map(({ branchId, id }) => ownerOf(branchId, id))
}

/**
 * Ends the terminals that ran when the app was killed. What was changed in them waits for the person's decision, as after
 * every end. Call once on opening. Never rejects.
 */
export async function recoverTerminals(sources: BranchTerminalSources): Promise<void> {
  for (const record of lostTerminals(sources.services.log)) {
    const patch = await takeUp(sources, record).catch((error: unknown): Patch => {
      sources.report('What was changed in a terminal when the app was killed could not be read', error)
      return []
    })
    sources.run(endTerminal(record, patch, null))
  }
}

function lostTerminals({ state }: HostServices['log']): readonly TerminalRecord[] {
  return [...state.terminals.values()].flat().filter(({ patch }) => patch === null)
}

async function takeUp(sources: BranchTerminalSources, { id, branchId, startedAt }: TerminalRecord): Promise<Patch> {
  const tree = treeAt(sources.services.log, branchId, startedAt)
  if (!tree) return []
  const shown = { branchId, terminalId: id, tree, at: startedAt }
  const { trial, finish } = await open(sources, shown, 'taken up', new AbortController().signal)
  await using _open = trial
  return (await finish(false)).patch
}

interface Finished {
  readonly patch: Patch
  /** What commands find from now on beside the files of the branch. Null when the terminal left nothing there. */
  readonly findLayers: () => Promise<readonly LayerId[] | null>
}

interface Shown {
  readonly branchId: BranchId
  readonly terminalId: string
  readonly tree: Tree
  /** The entry after which the branch is shown. Absent for now. */
  readonly at?: Sequence
}

async function open(
  sources: BranchTerminalSources,
  { branchId, terminalId, tree, at }: Shown,
  lifetime: TrialRequest['lifetime'],
  signal: AbortSignal,
) {
  const { services } = sources
  const draft = createOverlayTransaction({ ...services, tree })
  const owner = ownerOf(branchId, terminalId)
  const before = environmentOf(services.log.trees, branchId, at)
  const environment = layersFor(sources, before)
  const request = { owner, branch: draft, access: 'person', environment, temporaryOf: branchId, lifetime } as const
  const trial = await openTrial(services, request, signal)
  return {
    trial,
    /** `isWhole` is false after a kill, when what is in ignored files may be half of it. */
    async finish(isWhole: boolean): Promise<Finished> {
      const captured = await trial.capture(isWhole)
      if (captured.unkept !== undefined)
        sources.report('What a terminal left in ignored files could not be kept', captured.unkept)
      const keepsNone = !isWhole || sameLayers(captured.environment, environment)
      if (keepsNone) trial.drop()
      try {
        await keepChanges(draft, captured.changes, trial)
      } catch (error) {
        trial.drop()
        throw error
      }
      const findLayers = async () => (keepsNone ? null : joinedLayers(sources, branchId, captured, environment, before))
      return { patch: draft.patch(), findLayers }
    },
  }
}

/** What the terminal left, on top of what commands left since it was opened. */
async function joinedLayers(
  { services: { log, mounts } }: BranchTerminalSources,
  branchId: BranchId,
  captured: MountCapture,
  opened: readonly LayerId[],
  before: readonly LayerId[],
): Promise<readonly LayerId[]> {
  for (;;) {
    const now = environmentOf(log.trees, branchId)
    const { layers } = await layersAfter(mounts, captured, { opened, before, now })
    // A command may have ended meanwhile.
    if (sameLayers(environmentOf(log.trees, branchId), now)) return layers
  }
}

/** A branch in which no command ran yet has what the project's setup left. */
function layersFor({ setup }: BranchTerminalSources, own: readonly LayerId[]): readonly LayerId[] {
  return own.length === 0 && setup.choice().definition !== null ? [...setup.runs.layers()] : own
}

/** Who owns the view of a terminal. No other view has this owner. */
function ownerOf(branchId: BranchId, terminalId: string): string {
  return `${branchId} terminal ${terminalId}`
}
