import { z } from 'zod'
import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { CodeRunner, JavaScriptRun, RunnerFiles, RunnerLimits } from '../../ports/code-runner.ts'
import { declaredIn } from '../delegate/declared-tasks.ts'
import { failedOutput, jsonOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'

const capabilities =
  'JavaScript or TypeScript (types are taken out, not checked) in an isolated VM: no network, no Node, no environment. Available: await fs.read(path), fs.write(path, text), fs.list(path), fs.exists(path), fs.delete(path) on your files, console.log and JSON. Use return to give back a value. If the run fails or times out, none of its writes are kept.'

const declaring =
  'spawnSubagent({ description, id?, type? }) declares a task for a subagent; all declared tasks run as one batch when the run has ended.'

function capabilitiesOf(declares: boolean): string {
  return declares ? `${capabilities} ${declaring}` : capabilities
}

export const codeSchema = z.object({ code: z.string().min(1).describe('An async function body.') })
export const fileSchema = z.object({ file_path: z.string().min(1).describe('A script of your branch.') })

/** `run_js_code`: runs code over the branch, in its own process. */
export function createRunJsCodeTool(
  runner: CodeRunner,
  limits: () => RunnerLimits,
  declares: boolean,
): Tool<z.infer<typeof codeSchema>> {
  return {
    ...toolFacts.run_js_code,
    description: `Runs code over your files. ${capabilitiesOf(declares)}`,
    schema: codeSchema,
    run: ({ code }, context) => runCode(runner, { code, limits: limits(), declares }, context),
  }
}

/** `run_js_file`: the same for a script that is a file of the branch. */
export function createRunJsFileTool(
  runner: CodeRunner,
  limits: () => RunnerLimits,
  declares: boolean,
): Tool<z.infer<typeof fileSchema>> {
  return {
    ...toolFacts.run_js_file,
    description: `Runs a script of your branch over your files. ${capabilitiesOf(declares)}`,
    schema: fileSchema,
    async run({ file_path }, context) {
      const path = parseVirtualPath(file_path)
      if (!path.ok) return failedOutput(path.error.message)
      return runCode(
        runner,
        {
          code: decode(await context.files.read(path.value)),
          limits: limits(),
          declares,
          typescript: /\.[mc]?ts$/i.test(path.value),
        },
        context,
      )
    },
  }
}

async function runCode(
  runner: CodeRunner,
  request: Omit<JavaScriptRun, 'language' | 'files'>,
  context: ToolContext,
): Promise<ToolOutput> {
  const files = runnerFiles(context)
  const { outcome, declared } = await runner.run({ ...request, language: 'javascript', files }, context.signal)
  if (!outcome.ok) return failedOutput(JSON.stringify(outcome))
  const { tasks, note } = declaredIn(declared)
  return { ...jsonOutput({ ...outcome, ...(note !== '' && { note }) }), declares: tasks }
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

function decode(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
