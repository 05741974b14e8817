import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { type HookEnd, type HookPrograms, mostHookOutput } from '#core/ports/programs/hook-programs.ts'
import type { JsonObject } from '#shared/base/json.ts'

export interface HookProgramsOptions {
  /** Where hooks start. Null for a private folder, because nobody has said yet that the project may add anything. */
  readonly folder: () => string | null
  /** The private folder, made when it is missing. */
  readonly privateFolder: string
  /** The variables that hooks get. */
  readonly environment: () => Readonly<Record<string, string>>
}

/** Stands for the project's folder in words that no shell reads. */
const folderPlaceholder = `\${CLAUDE_PROJECT_DIR}`
/** Milliseconds to wait for output after a hook ended. A process that left the group may hold it open for ever. */
const drainMs = 300

/** Starts each hook for one question. */
export function createHookPrograms(options: HookProgramsOptions): HookPrograms {
  return {
    async run({ command, args, timeoutMs }, message, signal) {
      signal.throwIfAborted()
      const folder = options.folder()
      const inFolder = (word: string) => word.replaceAll(folderPlaceholder, folder ?? '')
      const [program, ...rest] = args === null ? shellOf(command) : [inFolder(command), ...args.map(inFolder)]
      if (folder === null) mkdirSync(options.privateFolder, { recursive: true, mode: 0o700 })
      const child = spawn(program, rest, {
        cwd: folder ?? options.privateFolder,
        env: { ...options.environment(), ...(folder !== null && { CLAUDE_PROJECT_DIR: folder }) },
        stdio: 'pipe',
        detached: process.platform !== 'win32',
        windowsHide: true,
      })
      return listen(child, message, timeoutMs, signal)
    },
  }
}

/** The shell that the person's hooks are written for. */
function shellOf(command: string): readonly [string, ...string[]] {
  return process.platform === 'win32' ? ['cmd.exe', '/d', '/s', '/c', command] : ['/bin/sh', '-c', command]
}

function listen(
  child: ReturnType<typeof spawn>,
  message: JsonObject,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<HookEnd> {
  const ended = Promise.withResolvers<HookEnd>()
  const texts = { stdout: gather(), stderr: gather() }
  let problem: string | null = null
  let draining: NodeJS.Timeout | undefined
  const finish = (exitCode: number | null) => {
    clearTimeout(timer)
    clearTimeout(draining)
    signal.removeEventListener('abort', abort)
    const [stdout, stderr] = [texts.stdout.text(), texts.stderr.text()]
    if (signal.aborted) ended.reject(signal.reason)
    else ended.resolve({ exitCode: problem === null ? exitCode : null, stdout, stderr, problem })
  }
  const stop = (why: string) => {
    problem ??= why
    killGroup(child)
  }
  const abort = () => stop('It was stopped.')
  const timer = setTimeout(() => stop(`It did not end within ${timeoutMs / 1000} s, so it was ended.`), timeoutMs)
  signal.addEventListener('abort', abort, { once: true })
  for (const name of ['stdout', 'stderr'] as const)
    child[name]?.on('data', (bytes: Buffer) => {
      if (!texts[name].add(bytes)) stop('It printed more than 1 MB, so it was ended.')
    })
  child.on('error', (error) => {
    problem ??= `It could not be started: ${error.message}`
    if (child.pid === undefined) finish(null)
  })
  child.on('exit', (code, by) => {
    if (code === null) problem ??= `It was ended by ${by ?? 'a signal'}.`
    // What it left running ends with it.
    killGroup(child)
    draining = setTimeout(() => {
      child.stdout?.destroy()
      child.stderr?.destroy()
    }, drainMs)
  })
  child.on('close', (code) => finish(code))
  // A hook need not read what it is told.
  child.stdin?.on('error', () => {})
  child.stdin?.end(JSON.stringify(message))
  return ended.promise
}

/** Keeps output up to the limit. */
function gather() {
  const pieces: Buffer[] = []
  let size = 0
  return {
    /** False when it is too much. */
    add(bytes: Buffer): boolean {
      size += bytes.length
      if (size <= mostHookOutput) pieces.push(bytes)
      return size <= mostHookOutput
    },
    text: () => Buffer.concat(pieces).toString(),
  }
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill('SIGKILL')
    else process.kill(-child.pid, 'SIGKILL')
  } catch {
    // Everything in the group has ended.
  }
}
