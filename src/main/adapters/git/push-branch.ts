import { spawn } from 'node:child_process'
import { endsWithApp } from '../system/ends-with-app.ts'
import { findProgram, systemProgram } from '../system/system-programs.ts'
import { askRepository } from './ask-repository.ts'
import { textOf } from './run-git.ts'

/** How a program of the person ended. */
export interface ProgramEnd {
  /** Null when it could not be started, or was stopped. */
  readonly code: number | null
  /** Everything that it printed, in the order of arrival. */
  readonly output: string
  /** What it printed to standard output. */
  readonly answer: string
}

export interface ProgramWatch {
  /** Gets the output as it arrives. */
  readonly onOutput?: ((text: string) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** Where a branch is pushed. */
export interface PushTarget {
  /** Absolute path of the repository's top. */
  readonly top: string
  readonly branch: string
  readonly remote: string
}

/**
 * The remote that a push of a branch goes to when nobody names one, as git itself chooses it: that of the branch, that of the
 * settings, `origin`, or the only one. Null for none.
 */
export async function usualRemote(top: string, branch: string): Promise<string | null> {
  const ask = async (...args: readonly string[]) => textOf(await askRepository(top, args, { cwd: top }))
  for (const key of [`branch.${branch}.pushRemote`, 'remote.pushDefault', `branch.${branch}.remote`]) {
    const chosen = await ask('config', '--get', key)
    if (chosen !== '' && chosen !== '.') return chosen
  }
  const remotes = await remotesOf(top)
  return remotes.includes('origin') ? 'origin' : remotes.length === 1 ? (remotes[0] ?? null) : null
}

/** The names of all remotes. */
export async function remotesOf(top: string): Promise<readonly string[]> {
  const names = textOf(await askRepository(top, ['remote'], { cwd: top }))
  return names.split('\n').filter((name) => name !== '')
}

/** The address of a remote. Empty where it is an address itself, or nobody knows it. */
export async function addressOf(top: string, remote: string): Promise<string> {
  return textOf(await askRepository(top, ['remote', 'get-url', '--push', '--', remote], { cwd: top }))
}

/** The person's own `git push`, with their logins and hooks. A question that it asks at no terminal fails. */
export function pushBranch({ top, branch, remote }: PushTarget, watch: ProgramWatch): Promise<ProgramEnd> {
  const ref = `refs/heads/${branch}`
  return runOwn(systemProgram('git'), ['push', '--', remote, `${ref}:${ref}`], top, watch)
}

/** A pull request of GitHub, or a merge request of GitLab. */
export interface PullRequest {
  readonly title: string
  readonly body: string
  readonly draft: boolean
  /** The branch to merge into. Null for the usual one. */
  readonly base: string | null
}

/** The command line that opens one, for the server at this address. */
export function pullRequestLine(address: string, branch: string, request: PullRequest): readonly string[] {
  const { title, body, draft, base } = request
  if (/gitlab/i.test(address))
    return [
      ...['glab', 'mr', 'create', '--yes', '--source-branch', branch, '--title', title, '--description', body],
      ...(draft ? ['--draft'] : []),
      ...(base === null ? [] : ['--target-branch', base]),
    ]
  return [
    ...['gh', 'pr', 'create', '--head', branch, '--title', title, '--body', body],
    ...(draft ? ['--draft'] : []),
    ...(base === null ? [] : ['--base', base]),
  ]
}

/** Runs a program that is installed outside of the folder. Null when it is not. */
export function runInstalled(
  [program = '', ...args]: readonly string[],
  folder: string,
  watch: ProgramWatch,
): Promise<ProgramEnd> | null {
  const found = findProgram(program, { outside: folder, path: process.env.PATH ?? '' })
  return found === undefined ? null : runOwn(found, args, folder, watch)
}

/**
 * A program of the person with everything of theirs: settings, logins, agents for keys. It has a session of its own, and so no
 * terminal: a question at one that nobody looks at would never be answered, and ssh asks there whatever its input is.
 */
function runOwn(
  program: string,
  args: readonly string[],
  cwd: string,
  { onOutput, signal }: ProgramWatch,
): Promise<ProgramEnd> {
  return new Promise((resolve) => {
    const env = { ...process.env, GIT_TERMINAL_PROMPT: process.env.GIT_TERMINAL_PROMPT ?? '0' }
    const [file = program, ...words] = endsWithApp([program, ...args])
    const isGroup = process.platform !== 'win32'
    const child = spawn(file, words, { cwd, env, detached: isGroup, stdio: ['ignore', 'pipe', 'pipe'] })
    let [output, answer] = ['', '']
    const hear = (text: string) => {
      output += text
      onOutput?.(text)
    }
    const stop = () => {
      // What it started goes with it, such as a hook or ssh.
      if (child.pid !== undefined) endGroup(isGroup ? -child.pid : child.pid)
    }
    const end = (code: number | null) => {
      signal?.removeEventListener('abort', stop)
      resolve({ code, output, answer })
    }
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      answer += text
      hear(text)
    })
    child.stderr.setEncoding('utf8').on('data', hear)
    child.on('error', (error) => {
      if (output === '') hear(`${error.message}\n`)
      end(null)
    })
    child.on('close', end)
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
  })
}

function endGroup(group: number): void {
  try {
    process.kill(group, 'SIGTERM')
  } catch {
    // It has ended.
  }
}
