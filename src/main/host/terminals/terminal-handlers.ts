import { dropTerminal, keepTerminal } from '#core/commands/terminals.ts'
import type { TerminalEvent } from '#shared/contract/views/threads.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'

/** The person's own shell. Only these commands reach it, so agents cannot. */
export function terminalHandlers(os: Implementer, { projects }: HostParts) {
  return {
    // Refuse before the stream starts. An error inside a stream does not reach the client as a refusal.
    open: os.terminal.open.handler(async ({ input, signal }) => {
      const closing = new AbortController()
      signal?.addEventListener('abort', () => closing.abort(), { once: true })
      const output = await projects.get(input.projectId).terminals.open(input, closing.signal)
      return eventsOf(output, () => closing.abort())
    }),
    write: os.terminal.write.handler(async ({ input: { projectId, terminalId, data } }) =>
      projects.get(projectId).terminals.running(terminalId).write(data),
    ),
    resize: os.terminal.resize.handler(async ({ input: { projectId, terminalId, columns, rows } }) =>
      projects.get(projectId).terminals.running(terminalId).resize(columns, rows),
    ),
    end: os.terminal.end.handler(async ({ input: { projectId, terminalId } }) =>
      projects.get(projectId).terminals.running(terminalId).close(),
    ),
    keep: os.terminal.keep.handler(async ({ input: { projectId, terminalId } }) => {
      const { services, change } = projects.get(projectId)
      return change(keepTerminal(services, terminalId))
    }),
    drop: os.terminal.drop.handler(async ({ input: { projectId, terminalId } }) => {
      const { services, run } = projects.get(projectId)
      run(dropTerminal(services, terminalId))
    }),
  }
}

/** Ends the shell when the reader goes away, and leaves the stream open: the end of the shell closes it. */
async function* eventsOf(output: ReadableStream<TerminalEvent>, end: () => void): AsyncGenerator<TerminalEvent, void> {
  try {
    yield* output.values({ preventCancel: true })
  } finally {
    end()
  }
}
