import { z } from 'zod'
import { readText } from '#overlay'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { CodeRunner, JavaScriptRun, RunnerFiles, RunnerLimits } from '../../ports/code-runner.ts'
import { declaredIn } from '../delegate/declared-tasks.ts'
import { failedOutput, jsonOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'
import { awaitedForm, awaitingOf, awaitingText, type EndedRounds, roundsNote, waitingOutput } from './awaiting.ts'
import { type CodeStates, type EndState, endState, keepState, startState, stateNote } from './code-state.ts'

const capabilities =
  'JavaScript or TypeScript (types are taken out, not checked) in an isolated VM: no network, no Node, no environment. Available: await fs.read(path), fs.write(path, text), fs.list(path), fs.exists(path), fs.delete(path) on your files, console.log and JSON. Use return to give back a value. If the run fails or times out, none of its writes are kept.'

const remembering =
  'What the code has at its top stays for your later JavaScript calls (up to 4 MB), also after a restart: data, functions and classes. A function is kept by its source, so it finds other names of the top and no others. A failed run changes none of them, they go back with a rewind, and a subagent begins with a copy of its parent’s.'
const declaring = `spawnSubagent({ description, id?, type? }) declares a task for a subagent; all declared tasks run as one batch when the run has ended. await runSubagent({ description, id?, type? }) waits for one and gives ${awaitedForm}; use Promise.all for several. ${awaitingText}`

function capabilitiesOf(declares: boolean): string {
  return [capabilities, remembering, ...(declares ? [declaring] : [])].join(' ')
}

export const codeSchema = z.object({
  code: z.string().min(1).describe('An async function body.'),
  reset: z.boolean().default(false).describe('Begin without the variables and functions of earlier calls.'),
})
export const fileSchema = z.object({ file_path: z.string().min(1).describe('A script of your branch.') })

interface JavaScriptServices {
  readonly runner: CodeRunner
  readonly limits: () => RunnerLimits
  readonly states: CodeStates
  /** Whether code may declare tasks, and wait for them. */
  readonly declares: boolean
  readonly rounds: EndedRounds
}

/** `run_js_code`: runs code over the branch, in its own process. */
export function createRunJsCodeTool(services: JavaScriptServices): Tool<z.infer<typeof codeSchema>, EndState> {
  return {
    ...toolFacts.run_js_code,
    description: `Runs code over your files. ${capabilitiesOf(services.declares)}`,
    schema: codeSchema,
    run: ({ code, reset }, context) => runCode(services, { code, reset }, context),
    conclude: concludeWith(services),
  }
}

/** `run_js_file`: the same for a script that is a file of the branch. */
export function createRunJsFileTool(services: JavaScriptServices): Tool<z.infer<typeof fileSchema>, EndState> {
  return {
    ...toolFacts.run_js_file,
    description: `Runs a script of your branch over your files. ${capabilitiesOf(services.declares)}`,
    schema: fileSchema,
    async run({ file_path }, context) {
      const path = parseVirtualPath(file_path)
      if (!path.ok) return failedOutput(path.error.message)
      const code = decode(await context.files.read(path.value))
      return runCode(services, { code, typescript: /\.[mc]?ts$/i.test(path.value) }, context)
    },
    conclude: concludeWith(services),
  }
}

interface Script extends Pick<JavaScriptRun, 'code' | 'typescript'> {
  readonly reset?: boolean
}

async function runCode(
  { runner, limits, states, declares, rounds }: JavaScriptServices,
  { reset = false, ...script }: Script,
  context: ToolContext,
): Promise<ToolOutput<EndState>> {
  const start = startState(states, 'javascript', { reset, below: context.python })
  const ended = declares ? rounds(context.callId) : []
  const { outcome, declared, awaits, state } = await runner.run(
    {
      ...{ language: 'javascript', ...script, limits: limits(), declares },
      ...{ files: runnerFiles(context), state: start.bytes, ...(declares && awaitingOf(ended, context)) },
    },
    context.signal,
  )
  if (awaits) return waitingOutput(awaits, ended)
  const aboutState = [stateNote('javascript', start, state, outcome.ok), roundsNote(ended)].filter(Boolean).join(' ')
  if (!outcome.ok) return failedOutput(JSON.stringify({ ...outcome, ...(aboutState !== '' && { note: aboutState }) }))
  const { tasks, note: aboutTasks } = declaredIn(declared)
  const note = [aboutTasks, aboutState].filter(Boolean).join(' ')
  const left = state && endState(start, state)
  // Most code leaves nothing, and then there is nothing to store.
  const isKept = left && (left.bytes !== null || start.bytes !== null || reset || start.note !== '')
  return { ...jsonOutput({ ...outcome, ...(note !== '' && { note }) }), declares: tasks, ...(isKept && { data: left }) }
}

/** A failed run stores no state. */
function concludeWith({ states }: JavaScriptServices): NonNullable<Tool<unknown, EndState>['conclude']> {
  return async (output, { callId }) =>
    output.data
      ? { ...output, entries: [...(output.entries ?? []), keepState(states, 'javascript', callId, output.data)] }
      : output
}

/** The files of running code. Nobody can be asked during a run, so everything that needs approval is refused. */
function runnerFiles({ files, access }: ToolContext): RunnerFiles {
  return {
    async read(path) {
      const file = requireAccess(path, access.mayReadByRules, 'read', 'read_file')
      const [target, bytes] = [await files.leadsTo(file), await files.read(file)]
      requireAccess(path, () => access.mayShow(file, bytes) && access.mayShow(target, bytes), 'read', 'read_file')
      return decode(bytes)
    },
    write: async (path, content) =>
      void (await files.writeText(requireAccess(path, access.mayChange, 'write', 'write_file'), content)),
    async list(path) {
      const listing = await files.list(parsePath(path))
      if (!listing) throw new Error(`There is no folder ${path}.`)
      return listing.entries.map(({ name, node }) => (node.kind === 'directory' ? `${name}/` : name))
    },
    exists: async (path) => (await files.stat(parsePath(path))) !== undefined,
    delete: async (path) => void (await files.delete(requireAccess(path, access.mayChange, 'delete', 'delete'))),
  }
}

function requireAccess(path: string, may: (file: VirtualPath) => boolean, verb: string, tool: string): VirtualPath {
  const file = parsePath(path)
  if (may(file)) return file
  throw new Error(
    `${file} is protected by a rule or may hold secrets, so code cannot ${verb} it. Use ${tool}, which asks.`,
  )
}

function parsePath(path: string): VirtualPath {
  const parsed = parseVirtualPath(path)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

/** The text without its byte-order mark, which a write puts back. U+FFFD stands for what is no text. */
function decode(bytes: Uint8Array): string {
  const found = readText(bytes)
  return found?.encoding.startsWith('utf-16') ? found.text.slice(1) : new TextDecoder().decode(bytes)
}
