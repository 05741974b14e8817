import { z } from 'zod'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { MountCapture } from '../../ports/branch-mounts.ts'
import type { CodeRunner, RunnerLimits } from '../../ports/code-runner.ts'
import { failedOutput, jsonOutput, previewedByRun, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'
import type { OpenCodeMount } from './branch-mount.ts'

const capabilities =
  'Python by the monty interpreter: no network, no environment, no packages. Your files are under /, by open and pathlib.Path (read_text, write_text, mkdir, iterdir, exists, unlink, rename of files); stores behind prefixes, .git and files that may hold secrets are not there. It has json, re, math, datetime and functions, comprehensions, f-strings, exceptions; it lacks classes, generators, match, del, str.format, Path.glob and the rest of the standard library. The last line, if it is an expression, is the value. If the run fails or times out, none of its writes are kept.'

const codeSchema = z.object({ code: z.string().min(1).describe('A Python program.') })
const fileSchema = z.object({ file_path: z.string().min(1).describe('A script of your branch.') })

interface PythonServices {
  readonly runner: CodeRunner
  readonly openCodeMount: OpenCodeMount
  readonly limits: () => RunnerLimits
}

/** `run_python_code`: runs Python over the branch's files, in its own process. */
export function createRunPythonCodeTool(services: PythonServices): Tool<z.infer<typeof codeSchema>> {
  return previewedByRun({
    ...toolFacts.run_python_code,
    description: `Runs Python over your files. ${capabilities}`,
    schema: codeSchema,
    run: ({ code }, context) => runPython(services, code, context),
  })
}

/** `run_python_file`: the same for a script that is a file of the branch. */
export function createRunPythonFileTool(services: PythonServices): Tool<z.infer<typeof fileSchema>> {
  return previewedByRun({
    ...toolFacts.run_python_file,
    description: `Runs a Python script of your branch over your files. ${capabilities}`,
    schema: fileSchema,
    async run({ file_path }, context) {
      const path = parseVirtualPath(file_path)
      if (!path.ok) return failedOutput(path.error.message)
      return runPython(services, new TextDecoder().decode(await context.files.read(path.value)), context)
    },
  })
}

async function runPython(
  { runner, openCodeMount, limits }: PythonServices,
  code: string,
  context: ToolContext,
): Promise<ToolOutput> {
  await using files = await openCodeMount(context)
  const { outcome } = await runner.run(
    { language: 'python', code, mount: files.mount, limits: limits() },
    context.signal,
  )
  if (!outcome.ok) return failedOutput(JSON.stringify(outcome))
  const note = noteOf(await files.takeOver())
  return jsonOutput({ ...outcome, ...(note !== '' && { note }) })
}

function noteOf({ changes, ignoredChanges }: MountCapture): string {
  const changed = changes.filter(({ kind }) => kind !== 'directory').length
  return [
    changed > 0 && `${changed} ${changed === 1 ? 'file' : 'files'} changed.`,
    ignoredChanges > 0 && `${ignoredChanges} changes of files that .gitignore names were left out.`,
  ]
    .filter(Boolean)
    .join(' ')
}
