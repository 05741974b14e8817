import { failedOutput, type ToolContext, type ToolOutput } from '../tool.ts'
import { reportOf } from './process-tools.ts'
import type { Processes } from './processes.ts'

/** How long a process has to fail at once or to say something, in milliseconds. */
const settleMs = 1_000

/** Starts a command that stays, and returns its id with what it printed at first. */
export async function startInBackground(
  processes: Processes,
  command: string,
  context: ToolContext,
): Promise<ToolOutput> {
  const started = await processes.start(command, context)
  if (!started.ok) return failedOutput(started.error)
  const { id } = started.value
  await processes.wait(context.threadId, id, null, settleMs, context.signal)
  return reportOf(processes, context, id, null)
}

/** A sentence for the result of a command that seems to have put something into the background. Else empty. */
export function backgroundNote(command: string): string {
  const bare = command.replace(/\\.|'[^']*'|"(?:\\.|[^"\\])*"/gs, 'x').replace(/(^|\s)#.*$/gm, '')
  const leaves = /(?:^|[\s;&|(])(?:nohup|setsid|disown)\s/.test(bare) || /(?<![&>|<])&(?![&>])/.test(bare)
  if (!leaves || /(?:^|[\s;&|(])wait\b/.test(bare)) return ''
  return '\nWhatever it left running in the background was ended with it. For a server or a watcher call execute with background: true.'
}
