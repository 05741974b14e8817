import { homedir } from 'node:os'
import { loadTerminals, type Terminal } from '#adapters/shell/terminal.ts'
import type { TerminalEvent } from '#shared/contract/views/threads.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { findTerminal } from '#shared/model/project-state.ts'
import { type BranchTerminal, type BranchTerminalSources, openBranchTerminal } from './branch-terminal.ts'

export interface TerminalRequest {
  readonly terminalId: string
  /** Null for the project's folder. */
  readonly branchId: BranchId | null
  readonly columns: number
  readonly rows: number
}

export interface TerminalSources extends BranchTerminalSources {
  /** Null for a workspace without a folder, whose shells begin at home. */
  readonly folder: string | null
  /** Names of variables that no shell gets. */
  readonly hidden: () => ReadonlySet<string>
}

/**
 * The open terminals of a person in one project, by id. Agents cannot reach them. What was changed in a branch's terminal
 * is in the journal when its shell has ended, so it waits for the person however that came about.
 */
export interface Terminals extends AsyncDisposable {
  /** The stream ends with the shell. When `signal` aborts, the shell ends. */
  open(request: TerminalRequest, signal: AbortSignal): Promise<ReadableStream<TerminalEvent>>
  /** Throws `NOT_FOUND` when the shell has ended. */
  running(terminalId: string): Terminal
}

export function createTerminals(sources: TerminalSources): Terminals {
  const running = new Map<string, Terminal>()
  /** One for each shell. Resolves when it has ended and its changes are stored; never rejects. */
  const ends = new Set<Promise<void>>()

  function start(
    { terminalId, columns, rows }: TerminalRequest,
    openTerminal: Awaited<ReturnType<typeof loadTerminals>>,
    branch: BranchTerminal | null,
    signal: AbortSignal,
  ): ReadableStream<TerminalEvent> {
    const { promise: end, resolve } = Promise.withResolvers<void>()
    return new ReadableStream<TerminalEvent>({
      start(controller) {
        const terminal = openTerminal({
          ...(branch ? { cwd: branch.view.folder, enter: branch.view.enter } : { cwd: sources.folder ?? homedir() }),
          columns,
          rows,
          hidden: sources.hidden(),
          onData: (text) => controller.enqueue({ type: 'output', text }),
          async onExit() {
            running.delete(terminalId)
            try {
              controller.enqueue({ type: 'ended', changed: await finish(branch) })
              controller.close()
            } catch (error) {
              controller.error(error)
            } finally {
              ends.delete(end)
              resolve()
            }
          },
        })
        running.set(terminalId, terminal)
        ends.add(end)
        signal.addEventListener('abort', () => terminal.close(), { once: true })
      },
    })
  }

  return {
    async open(request, signal) {
      const { terminalId, branchId } = request
      if (running.has(terminalId) || findTerminal(sources.services.log.state, terminalId))
        throw new WireError('CONFLICT', 'A terminal of this name is open already.')
      await using opening = new AsyncDisposableStack()
      const branch =
        branchId === null ? null : opening.use(await openBranchTerminal(sources, branchId, terminalId, signal))
      const openTerminal = await loadTerminals().catch((error: Error) => {
        throw new WireError('REFUSED', error.message)
      })
      signal.throwIfAborted()
      branch?.start()
      try {
        const stream = start(request, openTerminal, branch, signal)
        opening.move()
        return stream
      } catch (error) {
        await branch?.end()
        throw error
      }
    },
    running(terminalId) {
      const terminal = running.get(terminalId)
      if (!terminal) throw new WireError('NOT_FOUND', 'This terminal has ended. Open a new one.')
      return terminal
    },
    async [Symbol.asyncDispose]() {
      for (const terminal of running.values()) terminal.close()
      await Promise.all(ends)
    },
  }
}

async function finish(branch: BranchTerminal | null): Promise<readonly string[]> {
  if (!branch) return []
  await using _view = branch
  return await branch.end()
}
