import { execFile } from 'node:child_process'
import { lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { systemProgram } from '../system/system-programs.ts'

/** Who commits are from. Null for what the user has not set. */
export interface GitIdentity {
  readonly name: string | null
  readonly email: string | null
  /** True when commits or tags are signed, which needs a key. Absent when they are not. */
  readonly signs?: true
}

const run = promisify(execFile)
const timeoutMs = 2_000
const mostBytes = 64 * 1024
const foundNothing = 1
const wanted = '^(user\\.(name|email)|(commit|tag)\\.gpgsign|include(if\\..*)?\\.path)$'
const parameters = ['--no-pager', 'config', '-z', '--show-origin', '--get-regexp', wanted]
/** The others would lead git to another repository than that of the folder. */
const keptVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])

/**
 * Reads the name and email that git has for this folder, and whether it signs, so that the project's own win and conditional files count. Reads
 * nothing else of the configuration but which files it includes. Git is asked again only after one of its files changed.
 * Both are null when git is missing, does not answer, or has none. Null for no folder.
 */
export function createIdentityReader(
  folder: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): () => Promise<GitIdentity> {
  const home = environment.HOME ?? homedir()
  const place = folder ?? homedir()
  let known: { readonly identity: GitIdentity; readonly files: readonly string[]; readonly stamp: string } | undefined
  return async () => {
    const repository = repositoryOf(place)
    if (known && repository !== undefined && known.stamp === stampOf(repository, known.files)) return known.identity
    // The stamp of the usual files comes first, so that a change while git reads is noticed.
    const usual = usualFiles(home, environment)
    const before = repository === undefined ? undefined : stampOf(repository, usual)
    const answer = await askGit(place, environment)
    const listed = answer ?? []
    const files = [...new Set([...usual, ...listed.flatMap((setting) => filesIn(setting, place, home))])]
    const signs = ['commit.gpgsign', 'tag.gpgsign'].some((key) => isOn(listed, key))
    const author = { name: lastOf(listed, 'user.name'), email: lastOf(listed, 'user.email') }
    const identity = { ...author, ...(signs && { signs }) }
    const isSame = answer && repository !== undefined && before === stampOf(repository, usual)
    known = isSame ? { identity, files, stamp: stampOf(repository, files) } : undefined
    return identity
  }
}

/** One value of git's settings. Null for a key without one. */
interface Setting {
  readonly file: string
  readonly key: string
  readonly value: string | null
}

/** From the weakest file to the strongest. Undefined when git does not answer. */
async function askGit(folder: string, environment: NodeJS.ProcessEnv): Promise<readonly Setting[] | undefined> {
  const env = Object.fromEntries(
    Object.entries(environment).filter(([name]) => !name.startsWith('GIT_') || keptVariables.has(name)),
  )
  const options = { cwd: folder, env, timeout: timeoutMs, maxBuffer: mostBytes }
  const stdout = await run(systemProgram('git'), parameters, { ...options, killSignal: 'SIGKILL' }).then(
    (done) => done.stdout,
    ({ code }) => (code === foundNothing ? '' : undefined),
  )
  const fields = stdout?.split('\0').slice(0, -1)
  return fields?.flatMap((origin, index) => (index % 2 === 0 ? [settingOf(origin, fields[index + 1] ?? '')] : []))
}

function settingOf(origin: string, entry: string): Setting {
  const end = entry.indexOf('\n')
  const [key, value] = end < 0 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)]
  return { file: origin.replace(/^file:/, ''), key, value }
}

function lastOf(listed: readonly Setting[], key: string): string | null {
  const value = listed.findLast((setting) => setting.key === key)?.value
  return value?.trim() ? value : null
}

/** As git reads it: a key without a value is on. */
function isOn(listed: readonly Setting[], key: string): boolean {
  const found = listed.findLast((setting) => setting.key === key)
  return found !== undefined && (found.value === null || /^(true|yes|on|[1-9]\d*)$/i.test(found.value))
}

/** Where git may have its settings, whether a file is there or not. */
function usualFiles(home: string, environment: NodeJS.ProcessEnv): readonly string[] {
  const { GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, XDG_CONFIG_HOME } = environment
  const own = [join(home, '.gitconfig'), join(XDG_CONFIG_HOME || join(home, '.config'), 'git/config')]
  return [GIT_CONFIG_SYSTEM || '/etc/gitconfig', ...(GIT_CONFIG_GLOBAL ? [GIT_CONFIG_GLOBAL] : own)]
}

/** The file of a setting, and the one that it includes. Git says where its own are from the folder it runs in. */
function filesIn({ file, key, value }: Setting, folder: string, home: string): readonly string[] {
  const from = resolve(folder, file)
  if (!key.startsWith('include') || value === null) return [from]
  return [from, value.startsWith('~/') ? join(home, value.slice(2)) : resolve(dirname(from), value)]
}

/**
 * The `.git` folder that git finds from here, or an empty text when it finds none. Undefined for a worktree or a submodule,
 * whose settings are elsewhere.
 */
function repositoryOf(folder: string): string | undefined {
  for (let place = folder; ; place = dirname(place)) {
    const stats = lstatSync(join(place, '.git'), { throwIfNoEntry: false })
    if (stats) return stats.isDirectory() ? join(place, '.git') : undefined
    if (place === dirname(place)) return ''
  }
}

/** Changes with any of the files, also when one appears or the branch is another. */
function stampOf(repository: string, files: readonly string[]): string {
  const own = repository === '' ? [] : ['config', 'config.worktree', 'HEAD'].map((name) => join(repository, name))
  return [repository, ...[...own, ...files].map(stampOfFile)].join('\n')
}

function stampOfFile(file: string): string {
  try {
    const stats = statSync(file, { throwIfNoEntry: false })
    return stats ? `${stats.ino} ${stats.size} ${stats.mtimeMs} ${stats.ctimeMs}` : ''
  } catch {
    return 'closed'
  }
}
