import { execFile } from 'node:child_process'
import { homedir } from 'node:os'
import { promisify } from 'node:util'
import { systemProgram } from '../system/system-programs.ts'

/** Who commits are from. Null for what the user has not set. */
export interface GitIdentity {
  readonly name: string | null
  readonly email: string | null
}

const run = promisify(execFile)
const timeoutMs = 2_000
const mostBytes = 64 * 1024
const parameters = ['--no-pager', 'config', '-z', '--get-regexp', '^user\\.(name|email)$']
/** The others would lead git to another repository than that of the folder. */
const keptVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])

/**
 * The name and email that git has for this folder, so that the project's own win and conditional files count. Reads
 * nothing else of the configuration. Both are null when git is missing, does not answer, or has none. Null for no folder.
 */
export async function readGitIdentity(folder: string | null, environment = process.env): Promise<GitIdentity> {
  const env = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('GIT_') || keptVariables.has(name)),
  )
  const options = { cwd: folder ?? homedir(), env, timeout: timeoutMs, maxBuffer: mostBytes }
  try {
    const { stdout } = await run(systemProgram('git'), parameters, { ...options, killSignal: 'SIGKILL' })
    return { name: lastOf(stdout, 'user.name'), email: lastOf(stdout, 'user.email') }
  } catch {
    return { name: null, email: null }
  }
}

/** Git lists a key from the weakest file to the strongest. A key without a value has no line break. */
function lastOf(listed: string, key: string): string | null {
  const value = listed
    .split('\0')
    .findLast((entry) => entry.startsWith(`${key}\n`))
    ?.slice(key.length + 1)
  return value?.trim() ? value : null
}
