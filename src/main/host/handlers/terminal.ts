import { changeBranch } from '#core/commands/changes.ts'
import type { TerminalEvent } from '#shared/contract/views/threads.ts'
import type { HostParts } from '../composition/host-parts.ts'
import type { Implementer } from '../composition/router.ts'
import { createTerminals } from '../terminals/terminals.ts'

/** The person's own shell. Only these commands reach it, so agents cannot. */
export function terminalHandlers(os: Implementer, { projects, provider }: HostParts) {
  const terminals = createTerminals(provider.secretVariables)
  return {
    // Refuse before the stream starts. An error inside a stream does not reach the client as a refusal.
    open: os.terminal.open.handler(async ({ input, signal }) => {
      const closing = new AbortController()
      signal?.addEventListener('abort', () => closing.abort(), { once: true })
      const output = await terminals.open(projects.get(input.projectId), input, closing.signal)
      return eventsOf(output, () => closing.abort())
    }),
    write: os.terminal.write.handler(async ({ input: { projectId, terminalId, data } }) =>
      terminals.running(projectId, terminalId).write(data),
    ),
    resize: os.terminal.resize.handler(async ({ input: { projectId, terminalId, columns, rows } }) =>
      terminals.running(projectId, terminalId).resize(columns, rows),
    ),
    end: os.terminal.end.handler(async ({ input: { projectId, terminalId } }) =>
      terminals.running(projectId, terminalId).close(),
    ),
    keep: os.terminal.keep.handler(async ({ input: { projectId, terminalId } }) => {
      const { branchId, patch } = terminals.ended(projectId, terminalId)
      const { services, change } = projects.get(projectId)
      const kept = change(changeBranch(services, branchId, patch))
      terminals.forget(projectId, terminalId)
      return kept
    }),
    drop: os.terminal.drop.handler(async ({ input: { projectId, terminalId } }) =>
      terminals.forget(projectId, terminalId),
    ),
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
