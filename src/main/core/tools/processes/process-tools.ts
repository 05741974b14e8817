import { z } from 'zod'
import type { ProcessId } from '#shared/model/ids.ts'
import { endClause, type ProcessOutput, type ProcessView } from '#shared/model/process.ts'
import { beginningOf } from '#shared/text/whole-characters.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import { anyTool, failedOutput, type Tool, type ToolContext, type ToolOutput, textOutput } from '../tool.ts'
import type { Processes } from './processes.ts'

const id = z.string().min(1).describe('As execute returned it, such as process_0.')
/** In seconds. */
const mostWait = 300

/** The tools for commands that run in the background. `execute` starts them. */
export function createProcessTools(processes: Processes): readonly Tool[] {
  return [outputTool(processes), inputTool(processes), stopTool(processes), listTool(processes)].map((tool) =>
    anyTool(tool as Tool),
  )
}

export const outputSchema = z.object({
  id,
  since: z
    .int()
    .min(0)
    .optional()
    .describe('A position that an earlier result returned, or 0. Without it: what came since the last result.'),
  wait: z.number().min(0).max(mostWait).default(0).describe('Seconds to wait for more output or for the end.'),
})

function outputTool(processes: Processes): Tool<z.infer<typeof outputSchema>> {
  return {
    ...toolFacts.process_output,
    description:
      'Returns what a background process printed, and its state: at most 30 kB at once, with the position to read on from. Works after its end too, as long as the app is open. At least the last 1 MB is kept.',
    schema: outputSchema,
    async run({ id: given, since, wait }, context) {
      const found = find(processes, context, given)
      if (typeof found === 'string') return failedOutput(found)
      const from = since ?? processes.position(context.threadId, found.id)
      if (wait > 0 && found.outputBytes <= from)
        await processes.wait(context.threadId, found.id, from, wait * 1000, context.signal)
      return reportOf(processes, context, found.id, since ?? null)
    },
  }
}

export const inputSchema = z.object({
  id,
  text: z.string().min(1).max(100_000).describe('Exactly what is typed. Nothing is added: end a line with \\n.'),
})

function inputTool(processes: Processes): Tool<z.infer<typeof inputSchema>> {
  return {
    ...toolFacts.process_input,
    description:
      'Types text into a background process, on its standard input. The user approves it like a command. Use process_output to read the answer.',
    schema: inputSchema,
    async run({ id: given, text }, context) {
      const found = find(processes, context, given)
      if (typeof found === 'string') return failedOutput(found)
      if (!processes.write(context.threadId, found.id, text)) return failedOutput(`${found.id} does not run any more.`)
      return textOutput(`Typed. Its output so far ends at ${found.outputBytes}.`)
    },
  }
}

export const stopSchema = z.object({ id })

function stopTool(processes: Processes): Tool<z.infer<typeof stopSchema>> {
  return {
    ...toolFacts.process_stop,
    description:
      'Ends a background process and everything it started. Files that it changed become changes of yours, as after a command. What it left in ignored files stays for your commands, unless it does not end when it is asked to and is killed.',
    schema: stopSchema,
    async run({ id: given }, context) {
      const found = find(processes, context, given)
      if (typeof found === 'string') return failedOutput(found)
      await processes.stop(context.threadId, found.id, 'agent')
      return reportOf(processes, context, found.id, null)
    },
  }
}

export const listSchema = z.object({})

function listTool(processes: Processes): Tool<z.infer<typeof listSchema>> {
  return {
    ...toolFacts.process_list,
    description: 'Lists your background processes with their state and the ports on which they listen.',
    schema: listSchema,
    async run(_, { threadId }) {
      const all = processes.list(threadId)
      return textOutput(all.length === 0 ? 'No background process was started.' : all.map(stateLine).join('\n'))
    },
  }
}

/** A sentence for the agent when there is no such process. */
function find(processes: Processes, { threadId }: ToolContext, given: string): ProcessView | string {
  const all = processes.list(threadId)
  const known = all.map((process) => process.id).join(', ') || 'none'
  return all.find((process) => process.id === (given as ProcessId)) ?? `There is no process ${given}. Known: ${known}.`
}

/** Bytes of output in one result. */
const mostOutput = 30_000

/** Its state, and its output from a position on; null for what came since the agent's last reading. */
export function reportOf(
  processes: Processes,
  { threadId }: Pick<ToolContext, 'threadId'>,
  processId: ProcessId,
  since: number | null,
): ToolOutput {
  const process = processes.list(threadId).find((one) => one.id === processId)
  const output = processes.read(threadId, processId, since, mostOutput)
  if (!process) return failedOutput(`There is no process ${processId}.`)
  const news = processes.news(threadId, processId, output?.text ?? '')
  return textOutput([textOf(output, process.outputBytes), stateLine(process), news].filter(Boolean).join('\n\n'))
}

function textOf(output: ProcessOutput | undefined, outputBytes: number): string {
  if (!output) return '(its output is not kept any more)'
  const { text, next, droppedBytes } = output
  const dropped = droppedBytes === 0 ? '' : `(${droppedBytes} bytes before this are left out)\n`
  return `${dropped}${text.trimEnd() || '(no output)'}\n(output up to position ${next}${next < outputBytes ? ` of ${outputBytes}; go on with since: ${next}` : ''})`
}

/** What a process is and how it is, as every result and notice says it. */
export function stateLine({ id: processId, command, end, ports, branchPorts, isKept }: ProcessView): string {
  const state = end === null ? `runs${isKept ? ', kept by the user after your run' : ''}` : endClause(end)
  const listening = end === null ? listeningText(ports, branchPorts) : ''
  const note = end === null || end.note === '' ? '' : ` ${end.note}`
  return `${processId} (${firstLine(command)}) ${state}.${listening}${note}`
}

function listeningText(ports: readonly number[], branchPorts: readonly number[]): string {
  const own = ports.length === 0 ? '' : ` It listens on port ${ports.join(', ')}.`
  return branchPorts.length === 0
    ? own
    : `${own} Something else in your branch listens on port ${branchPorts.join(', ')}.`
}

function firstLine(command: string): string {
  const [line = ''] = command.split('\n')
  return line.length > 200 || line !== command ? `${beginningOf(line, 200)}…` : line
}
