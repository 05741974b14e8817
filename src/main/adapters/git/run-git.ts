import { spawn } from 'node:child_process'
import { asHelper } from '../system/ends-with-app.ts'
import { systemProgram } from '../system/system-programs.ts'

/** How a git that ran ended. */
export interface GitAnswer {
  /** Null when git is missing, did not end in time, or printed too much. */
  readonly status: number | null
  readonly stdout: Buffer
  /** The first line that git said about what went wrong. Empty for nothing. */
  readonly said: string
}

export interface GitCall {
  readonly cwd: string
  readonly env: NodeJS.ProcessEnv
  /** Standard input. Absent for none. */
  readonly input?: Uint8Array | string
  readonly timeoutMs?: number
  /** True for one that writes to the person's repository: killed with the app it would leave a lock or half a pack there. */
  readonly finishes?: boolean
  /** Whose process it is. Only root may name another user. Absent for the app's own. */
  readonly runAs?: { readonly uid: number; readonly gid: number } | undefined
}

const usualTimeoutMs = 20_000
const mostBytes = 1024 * 1024 * 1024
/** In bytes. Git and the filters that it starts may have whole files in memory. */
const mostMemory = 2 * 1024 * 1024 * 1024

/** A command line of git, which gets so much memory at most and ends with the app, unless it `finishes`. */
export function gitProgram(args: readonly string[], finishes = false): readonly string[] {
  return asHelper([systemProgram('git'), ...args], { mostBytes: mostMemory, finishes })
}

/** Runs git and waits for its end. Never throws. */
export function runGit(args: readonly string[], call: GitCall) {
  const { cwd, env, input, timeoutMs = usualTimeoutMs, finishes = false, runAs } = call
  return new Promise<GitAnswer>((resolve) => {
    const [program = '', ...words] = gitProgram(args, finishes)
    const child = spawn(program, words, { cwd, env, timeout: timeoutMs, killSignal: 'SIGKILL', ...runAs })
    const printed: Buffer[] = []
    let bytes = 0
    let said = ''
    child.stdout.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > mostBytes) child.kill('SIGKILL')
      else printed.push(part)
    })
    child.stderr.on('data', (part: Buffer) => {
      if (said.length < 4096) said += part.toString()
    })
    const end = (status: number | null) =>
      resolve({ status, stdout: Buffer.concat(printed), said: said.trim().split('\n')[0] ?? '' })
    child.on('error', () => end(null))
    child.on('close', end)
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}

/** What git printed, without the line end. */
export function textOf({ stdout }: GitAnswer): string {
  return stdout.toString().trim()
}

/** The end of a sentence, with what to do next. */
export const diskIsFull = 'the disk is full. Free some space, then try again.'

/** A sentence with what git said. */
export function gitFailed(what: string, { status, said }: GitAnswer): string {
  if (/No space left on device|Out of diskspace|Disk quota exceeded/.test(said)) return `${what}: ${diskIsFull}`
  if (status === null && said === '') return `${what}: git is missing, or took too long.`
  return `${what}: ${said || 'it did not say why'}`
}
