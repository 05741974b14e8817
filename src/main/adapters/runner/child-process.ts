import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { BranchMount } from '#core/ports/branch-mounts.ts'
import { CodeRunnerError, type RunRequest } from '#core/ports/code-runner.ts'
import { appMark, endsWithApp } from '../system/ends-with-app.ts'
import { isFromChild, type ToChild } from './protocol.ts'

export interface ChildPaths {
  /** Path of Node 24. */
  readonly nodePath: string
  /** `child.ts`, or its bundled file. */
  readonly childPath: string
}

export type Language = RunRequest['language']

/** A child process for one run. */
export interface RunnerChild {
  readonly process: ChildProcess
  /** Resolves when the child can take the run. Rejects with a `CodeRunnerError` that names what is missing. */
  readonly ready: Promise<void>
}

const startMs = 10_000
const asItIs: BranchMount['enter'] = (program) => program
const nativeParts: Readonly<Record<Language, string>> = { javascript: 'isolated-vm', python: '@pydantic/monty' }

/**
 * Node's permission model denies the child's JavaScript what it never needs: writing files, starting processes and
 * threads. isolated-vm requires `--no-node-snapshot`.
 */
const nodeOptions = ['--no-node-snapshot', '--no-warnings', '--permission', '--allow-addons', '--allow-fs-read=*']

/** `memoryMb` is the expected memory limit of the run, in megabytes. */
export function startChild(
  { nodePath, childPath }: ChildPaths,
  language: Language,
  memoryMb: number,
  enter = asItIs,
): RunnerChild {
  const systemRoot = process.env.SystemRoot
  const command = [nodePath, ...nodeOptions, childPath, language, String(memoryMb)]
  const [program = nodePath, ...parameters] = endsWithApp(enter(command))
  const child = spawn(program, parameters, {
    // Python prints to its standard output itself. JavaScript's output comes as messages.
    stdio: ['ignore', language === 'python' ? 'pipe' : 'ignore', 'ignore', 'ipc'],
    env: { ...appMark(), ...(process.platform === 'win32' && systemRoot && { SystemRoot: systemRoot }) },
    windowsHide: true,
  })
  child.send({ type: 'hello' } satisfies ToChild, () => undefined)
  const ready = whenReady(child, language)
  // The caller that takes the child sees the error. For an unused child it does not matter.
  ready.catch(() => undefined)
  return { process: child, ready }
}

function whenReady(child: ChildProcess, language: Language): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      clearTimeout(late)
      child.off('message', hear).off('exit', ended)
      act()
    }
    const unavailable = (why: string) =>
      settle(() => {
        child.kill('SIGKILL')
        reject(new CodeRunnerError('unavailable', unavailableMessage(language, why)))
      })
    const ended = () => unavailable('its process ended at once.')
    const hear = (message: unknown) => {
      if (!isFromChild(message)) return
      if (message.type === 'ready') settle(resolve)
      if (message.type === 'unavailable') unavailable(message.why)
    }
    const late = setTimeout(() => unavailable('it did not answer.'), startMs)
    child.on('message', hear).on('exit', ended)
    child.on('error', (error) => unavailable(error.message))
  })
}

function unavailableMessage(language: Language, why: string): string {
  const name = language === 'python' ? 'Python' : 'JavaScript'
  return `${name} cannot be run here: ${nativeParts[language]} could not be started: ${why} "coppice doctor" says how to fix it. The other tools work.`
}

/**
 * Memory of a process and its children, in megabytes, because a mount is entered by further processes. Zero when the
 * system cannot tell cheaply; then the child watches itself.
 */
export function residentMegabytes(pid: number | undefined): number {
  if (process.platform !== 'linux' || pid === undefined) return 0
  try {
    const pages = Number(readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1])
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean)
    return children.reduce((sum, child) => sum + residentMegabytes(Number(child)), (pages * 4096) / (1024 * 1024))
  } catch {
    return 0
  }
}
