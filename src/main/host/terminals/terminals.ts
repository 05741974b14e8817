import { homedir } from 'node:os'
import { loadTerminals, type Terminal } from '#adapters/shell/terminal.ts'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { findHead } from '#core/commands/changes.ts'
import { unwrap } from '#core/commands/command.ts'
import { createOverlayTransaction } from '#core/overlay/overlay-transaction.ts'
import { keepChanges } from '#core/trial/keep.ts'
import { openTrial, type Trial } from '#core/trial/open-trial.ts'
import type { TerminalEvent } from '#shared/contract/views/threads.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { Patch } from '#shared/model/patch.ts'
import type { Project } from '../composition/project.ts'

export interface TerminalRequest {
  readonly terminalId: string
  /** Null for the project's folder. */
  readonly branchId: BranchId | null
  readonly columns: number
  readonly rows: number
}

/** A person's changes in the mount of a branch, until they are kept or dropped. */
export interface EndedTerminal {
  readonly branchId: BranchId
  readonly patch: Patch
}

/** The open terminals of a person, by project and id. Agents cannot reach them. */
export interface Terminals {
  /**
   * The stream ends with the shell. When `signal` aborts, the shell is killed and its changes in a mount are dropped.
   */
  open(project: Project, request: TerminalRequest, signal: AbortSignal): Promise<ReadableStream<TerminalEvent>>
  running(projectId: string, terminalId: string): Terminal
  ended(projectId: string, terminalId: string): EndedTerminal
  forget(projectId: string, terminalId: string): void
}

/** `hidden`: names of variables that no shell gets. */
export function createTerminals(hidden: () => ReadonlySet<string>): Terminals {
  const running = new Map<string, Terminal>()
  const ended = new Map<string, EndedTerminal>()

  async function finish(key: string, branch: BranchTerminal | null, signal: AbortSignal): Promise<string[]> {
    if (!branch) return []
    await using _view = branch
    if (signal.aborted) return []
    const patch = await branch.readPatch()
    if (patch.length > 0) ended.set(key, { branchId: branch.id, patch })
    return patch.map(([path]) => path)
  }
  return {
    async open(project, { terminalId, branchId, columns, rows }, signal) {
      const { id, path } = project.info()
      const key = `${id} ${terminalId}`
      if (running.has(key)) throw new WireError('CONFLICT', 'A terminal of this name is open already.')
      const branch = branchId === null ? null : await openBranchTerminal(project, branchId, terminalId, signal)
      const openTerminal = await loadTerminals().catch(async (error: Error) => {
        await branch?.[Symbol.asyncDispose]()
        throw new WireError('REFUSED', error.message)
      })
      if (signal.aborted) {
        await branch?.[Symbol.asyncDispose]()
        throw signal.reason
      }
      return new ReadableStream<TerminalEvent>({
        start(controller) {
          const terminal = openTerminal({
            ...(branch ? { cwd: branch.view.folder, enter: branch.view.enter } : { cwd: path || homedir() }),
            columns,
            rows,
            hidden: hidden(),
            onData: (text) => controller.enqueue({ type: 'output', text }),
            async onExit() {
              running.delete(key)
              try {
                controller.enqueue({ type: 'ended', changed: await finish(key, branch, signal) })
                controller.close()
              } catch (error) {
                controller.error(error)
              }
            },
          })
          running.set(key, terminal)
          signal.addEventListener('abort', () => terminal.close(), { once: true })
        },
      })
    },
    running: (projectId, terminalId) => requireTerminal(running, projectId, terminalId),
    ended: (projectId, terminalId) => requireTerminal(ended, projectId, terminalId),
    forget: (projectId, terminalId) => void ended.delete(`${projectId} ${terminalId}`),
  }
}

function requireTerminal<Value>(among: ReadonlyMap<string, Value>, projectId: string, terminalId: string): Value {
  const value = among.get(`${projectId} ${terminalId}`)
  if (!value) throw new WireError('NOT_FOUND', 'This terminal has ended. Open a new one.')
  return value
}

/** The trial of a person's shell in a branch. The commands of agents have others. */
interface BranchTerminal extends Pick<Trial, 'view'>, AsyncDisposable {
  readonly id: BranchId
  /** The changes since the trial was opened. Call once, after the shell has ended. */
  readPatch(): Promise<Patch>
}

async function openBranchTerminal(
  project: Project,
  branchId: BranchId,
  terminalId: string,
  signal: AbortSignal,
): Promise<BranchTerminal> {
  const { services } = project
  const { log } = services
  const owner = `${branchId} terminal ${terminalId}`
  const tree = unwrap(findHead(project.services, branchId))
  const own = environmentOf(log.trees, branchId)
  // A branch in which no command ran yet has what the project's setup left.
  const isSetUp = own.length === 0 && project.setup.choice().definition !== null
  const environment = isSetUp ? [...project.setup.runs.layers()] : own
  const draft = createOverlayTransaction({ ...services, tree })
  const request = { owner, branch: draft, access: 'person', environment, lifetime: 'once' } as const
  const trial = await openTrial(services, request, signal)
  return {
    id: branchId,
    view: trial.view,
    async readPatch() {
      const { changes } = await trial.capture(false)
      trial.drop()
      await keepChanges(draft, changes, trial)
      return draft.patch()
    },
    [Symbol.asyncDispose]: () => trial[Symbol.asyncDispose](),
  }
}
