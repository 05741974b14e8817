import { z } from 'zod'
import { parseVirtualPath } from '#shared/model/virtual-path.ts'
import { toolFacts } from '#shared/tools/tool-facts.ts'
import type { MountPlace, MountView } from '../../ports/branch-mounts.ts'
import type { CodeRunner, RunnerLimits, RunOutcome } from '../../ports/code-runner.ts'
import { type EndWithHidden, hiddenNote } from '../../trial/hidden-files.ts'
import { leftOutText, linksText, notKeptText } from '../../trial/place-changes.ts'
import { programPlaces, type Route } from '../namespace/routes.ts'
import { failedOutput, jsonOutput, type Tool, type ToolContext, type ToolOutput } from '../tool.ts'
import { awaitedForm, awaitingOf, awaitingText, type EndedRounds, roundsNote, waitingOutput } from './awaiting.ts'
import type { KeptCode, OpenCodeTrial } from './call-trials.ts'
import { type CodeStates, type EndState, endState, keepState, startState, stateNote } from './code-state.ts'

const capabilities =
  'Python by the monty interpreter: no network, no environment, no packages. Your files are under /, by open and pathlib.Path (read_text, write_text, mkdir, iterdir, exists, unlink, rename of files); .git and files that may hold secrets are not there. It has json, re, math, datetime and functions, comprehensions, f-strings, exceptions; it lacks classes, generators, match, del, str.format, Path.glob and the rest of the standard library. The last line, if it is an expression, is the value. If the run fails or times out, none of its writes are kept.'
const remembering =
  'Variables, functions and imports stay for your later Python calls (up to 4 MB), also after a restart; a failed run changes none of them, and they go back with a rewind. A subagent begins with a copy of its parent’s. Monty cannot import your files: run a script once with run_python_file to have its functions.'

export const codeSchema = z.object({
  code: z.string().min(1).describe('A Python program.'),
  reset: z.boolean().default(false).describe('Begin without the variables and functions of earlier calls.'),
})
export const fileSchema = z.object({ file_path: z.string().min(1).describe('A script of your branch.') })

interface PythonServices {
  readonly runner: CodeRunner
  readonly openTrial: OpenCodeTrial
  readonly limits: () => RunnerLimits
  readonly states: CodeStates
  /** True for a text that stands in an earlier result of the thread. */
  readonly wasTold: (text: string) => boolean
  /** How far subagents are that code waited for. Null for code that may have none. */
  readonly rounds: EndedRounds | null
  /** Of this project. */
  readonly routes: readonly Route[]
}

const waiting = `run_subagent(description, id=None, type=None) waits for a subagent and gives a dict ${awaitedForm}; run_subagents([...]) runs several at once and gives a list. ${awaitingText}`

/** What it can do, in the project that it is used in. */
function capabilitiesOf({ routes, rounds }: PythonServices): string {
  return [capabilities, describePlaces(routes), remembering, ...(rounds ? [waiting] : [])].join(' ')
}

function describePlaces(routes: readonly Route[]): string {
  const places = programPlaces(routes).map(({ route }) => route)
  const [memories, others] = [true, false].map((isMemory) =>
    places.filter(({ backend }) => (backend.kind === 'memories') === isMemory).map(({ prefix }) => prefix),
  )
  return `So are ${others?.join(', ')}, which it may change, and ${memories?.join(', ')}, which it may only read; a folder does not list them.`
}

/** `run_python_code`: runs Python over the branch's files, in its own process. */
export function createRunPythonCodeTool(services: PythonServices): Tool<z.infer<typeof codeSchema>, EndState> {
  return {
    ...toolFacts.run_python_code,
    description: `Runs Python over your files. ${capabilitiesOf(services)}`,
    schema: codeSchema,
    run: ({ code, reset }, context) => runPython(services, { code, reset }, context),
    conclude: concludeWith(services),
  }
}

/** `run_python_file`: the same for a script that is a file of the branch. */
export function createRunPythonFileTool(services: PythonServices): Tool<z.infer<typeof fileSchema>, EndState> {
  return {
    ...toolFacts.run_python_file,
    description: `Runs a Python script of your branch over your files. ${capabilitiesOf(services)}`,
    schema: fileSchema,
    async run({ file_path }, context) {
      const path = parseVirtualPath(file_path)
      if (!path.ok) return failedOutput(path.error.message)
      const code = new TextDecoder().decode(await context.files.read(path.value))
      return runPython(services, { code, scriptName: path.value }, context)
    },
    conclude: concludeWith(services),
  }
}

interface Script {
  readonly code: string
  readonly scriptName?: string
  readonly reset?: boolean
}

async function runPython(
  { runner, openTrial, limits, states, wasTold, rounds }: PythonServices,
  { reset = false, ...script }: Script,
  context: ToolContext,
): Promise<ToolOutput<EndState>> {
  const start = startState(states, 'python', { reset, below: context.python })
  await using trial = await openTrial(context)
  const ended = rounds?.(context.callId) ?? []
  const { outcome, awaits, state } = await runner.run(
    {
      ...{ language: 'python', ...script, limits: limits(), ...(rounds && awaitingOf(ended, context)) },
      ...{ mount: trial.view, places: placesOf(trial.view), state: start.bytes },
    },
    context.signal,
  )
  if (awaits) return waitingOutput(awaits, ended)
  const aboutState = stateNote('python', start, state, outcome.ok)
  const notes = [leftOutText(trial.view.leftOut), aboutState, roundsNote(ended)].filter(Boolean).join(' ')
  const seen = outcome.ok ? '' : `${script.code}\n${outcome.error ?? ''}`
  const missed = (end: EndWithHidden) => [notes, hiddenNote(trial.hidden, seen, end, wasTold)].filter(Boolean).join(' ')
  if (!outcome.ok) return failedOutput(JSON.stringify(withNote(outcome, missed('failed'))))
  const kept = await trial.keep()
  const note = [noteOf(kept), missed(kept.changedFiles > 0 ? 'wrote' : 'neither')].filter(Boolean).join(' ')
  return { ...jsonOutput(withNote(outcome, note)), ...(state && { data: endState(start, state) }) }
}

/** The places, and the project's other folders, which lie elsewhere than the first one. */
function placesOf({ places, others = [] }: MountView): readonly MountPlace[] {
  return [...places, ...others.map(({ path, name, folder }) => ({ path, name, folder, writable: true }))]
}

function withNote(outcome: RunOutcome, note: string): object {
  return { ...outcome, ...(note !== '' && { note }) }
}

/** A failed run stores no state. */
function concludeWith({ states }: PythonServices): NonNullable<Tool<unknown, EndState>['conclude']> {
  return async (output, { callId }) =>
    output.data
      ? { ...output, entries: [...(output.entries ?? []), keepState(states, 'python', callId, output.data)] }
      : output
}

function noteOf({ changedFiles, ignoredChanges, refusedLinks = [], notKept = [] }: KeptCode): string {
  return [
    changedFiles > 0 && `${changedFiles} ${changedFiles === 1 ? 'file' : 'files'} changed.`,
    ignoredChanges > 0 && `${ignoredChanges} changes of files that .gitignore names were left out.`,
    linksText(refusedLinks),
    notKeptText(notKept),
  ]
    .filter(Boolean)
    .join(' ')
}
