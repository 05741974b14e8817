import { homedir } from 'node:os'
import { openTerminal, type Terminal } from '#adapters/shell/terminal.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { HostParts } from '../create-host.ts'
import type { Implementer } from '../router.ts'

/** The person's own shell. Agents have no way to it: it is reached by these commands alone. */
export function terminalHandlers(os: Implementer, { projects }: HostParts) {
  const open = new Map<string, Terminal>()
  const terminalOf = (projectId: string, terminalId: string): Terminal => {
    const terminal = open.get(`${projectId} ${terminalId}`)
    if (!terminal) throw new WireError('NOT_FOUND', 'This terminal has ended. Open a new one.')
    return terminal
  }
  return {
    // A refusal must come before the stream does: what a stream throws is no refusal to the client.
    open: os.terminal.open.handler(async ({ input, signal }) => {
      const key = `${input.projectId} ${input.terminalId}`
      const { path } = projects.get(input.projectId).info()
      if (open.has(key)) throw new WireError('CONFLICT', 'A terminal of this name is open already.')
      const output = new ReadableStream<string>({
        start(controller) {
          const terminal = openTerminal({
            cwd: path || homedir(),
            columns: input.columns,
            rows: input.rows,
            onData: (data) => controller.enqueue(data),
            onExit() {
              open.delete(key)
              controller.close()
            },
          })
          open.set(key, terminal)
          signal?.addEventListener('abort', () => terminal.close(), { once: true })
        },
      })
      return piecesOf(output, () => open.get(key)?.close())
    }),
    write: os.terminal.write.handler(async ({ input }) =>
      terminalOf(input.projectId, input.terminalId).write(input.data),
    ),
    resize: os.terminal.resize.handler(async ({ input }) =>
      terminalOf(input.projectId, input.terminalId).resize(input.columns, input.rows),
    ),
  }
}

/** The stream is left open when its reader goes away: the shell ends first, and ending it closes the stream. */
async function* piecesOf(output: ReadableStream<string>, end: () => void): AsyncGenerator<string, void> {
  try {
    yield* output.values({ preventCancel: true })
  } finally {
    end()
  }
}
