import { z } from 'zod'
import { sendFrame } from '#host/handover/frames.ts'
import type { Host } from '#host/wiring/create-host.ts'
import { createDirectClient } from '#host/wiring/direct-client.ts'
import { readCommandLine, UsageError } from '../arguments.ts'
import { orHandOver } from '../handover/hand-over.ts'
import { HandOver } from '../handover/handed-line.ts'
import type { RunLine } from '../run-verb.ts'
import { type TaskTool, type ToolName, type ToolPlace, taskTools } from './tools.ts'

/** Where tools are called: one folder, with the projects of this process. */
export interface ServedFolder {
  readonly host: Host
  readonly runLine: RunLine
  /** Absolute. */
  readonly folder: string
  /** The flags that say where data and settings are, for another process that carries a call out. */
  readonly placeWords: readonly string[]
}

/** Calls a tool in the folder's project: here, or by the process that has it open. Rejects with a sentence. `begun` is called for a task that goes on here. */
export function callTool(
  served: ServedFolder,
  name: ToolName,
  args: unknown,
  signal: AbortSignal,
  begun?: ToolPlace['begun'],
): Promise<Readonly<Record<string, unknown>>> {
  const { host, runLine, folder } = served
  return host.projects.use(async () => {
    const words = ['mcp', folder, '--tool', name, '--arguments', JSON.stringify(args), ...served.placeWords]
    try {
      const tool: TaskTool = taskTools[name]
      const given = tool.input.safeParse(args)
      if (!given.success) throw new UsageError(`The arguments of ${name} are wrong: ${z.prettifyError(given.error)}`)
      const project = await orHandOver(
        host.projects,
        readCommandLine(words, () => true),
      ).open(folder)
      const client = createDirectClient(host)
      return await tool.run({ host, runLine, client, project, signal, begun }, given.data as never)
    } catch (error) {
      if (error instanceof HandOver) return answerOf(error, signal)
      throw error
    }
  })
}

/** The first line that the other process prints. It may work on after that. */
function answerOf(
  { socket, listen, holder }: HandOver,
  signal: AbortSignal,
): Promise<Readonly<Record<string, unknown>>> {
  return new Promise((resolve, reject) => {
    let [printed, errors] = ['', '']
    signal.addEventListener('abort', () => sendFrame(socket, { kind: 'stop' }), { once: true })
    listen((frame) => {
      if (frame?.kind === 'errors') errors += Buffer.from(frame.bytes, 'base64').toString()
      if (frame?.kind === 'output') printed += Buffer.from(frame.bytes, 'base64').toString()
      const [line, rest] = printed.split('\n', 2)
      if (line !== undefined && rest !== undefined) {
        const { result, error } = JSON.parse(line) as { result?: Record<string, unknown>; error?: string }
        if (result) resolve(result)
        else reject(new UsageError(error ?? 'No answer.'))
        // The other process keeps the task; nothing here waits for it.
        socket.unref()
      } else if (frame === null || frame.kind === 'exit') {
        reject(new Error(errors.trim() || `${holder} has this project open and ended before it answered.`))
      }
    })
  })
}
