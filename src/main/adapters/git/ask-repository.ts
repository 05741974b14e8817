import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { gitEnvironment, mayAskGit, wouldWait } from '../system/git/ask-git.ts'
import { type GitAnswer, type GitCall, runGit } from './run-git.ts'

/** What git needs for a question about a repository, so that no program runs that its settings name for questions. */
export function questionsTo(
  top: string,
  args: readonly string[],
): { readonly args: readonly string[]; readonly env: NodeJS.ProcessEnv } {
  const own = ['-c', 'safe.directory=*', '-c', 'core.fsmonitor=false', '-c', 'core.untrackedCache=false']
  return { args: [...own, ...args], env: gitEnvironment(top) }
}

/** Asks git about a repository. */
export function askRepository(
  top: string,
  args: readonly string[],
  { env = {}, ...call }: Omit<GitCall, 'env'> & { readonly env?: NodeJS.ProcessEnv },
): Promise<GitAnswer> {
  if (!mayAskGit(top)) return Promise.resolve({ status: null, stdout: Buffer.alloc(0), said: wouldWait })
  const question = questionsTo(top, args)
  return runGit(question.args, { ...call, env: { ...question.env, ...env } })
}

/** Root works in folders of others as they would, so that they can go on there. Undefined for everybody else. */
export function ownerOf(top: string): { readonly uid: number; readonly gid: number } | undefined {
  const { uid, gid } = statSync(existsSync(join(top, '.git')) ? join(top, '.git') : top)
  return process.getuid?.() === 0 && uid !== 0 ? { uid, gid } : undefined
}

export function partsOf({ stdout }: GitAnswer): readonly string[] {
  return stdout.toString().split('\0').slice(0, -1)
}
