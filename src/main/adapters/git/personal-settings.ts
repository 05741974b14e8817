import { execFile } from 'node:child_process'
import { lstatSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { mayAskGit } from '../system/git/ask-git.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { systemProgram } from '../system/system-programs.ts'
import { judgeSetting } from './given-settings.ts'

/** The settings of the person that git in a view gets. */
export interface PersonalSettings {
  /** From the weakest to the strongest, and not those in the repository's own files. Null for a key without a value. */
  readonly values: readonly (readonly [key: string, value: string | null])[]
  /** The person's own ignore rules and attributes, by the setting that names the file. Not one that lies in the project. */
  readonly texts: Readonly<Record<string, string>>
  /** True when commits or tags are signed, which needs a key. Absent when they are not. */
  readonly signs?: true
  /** Keys that git in a view does not get because their values contain a credential. Absent for none. */
  readonly withheld?: readonly string[]
}

const run = promisify(execFile)
const timeoutMs = 2_000
const mostBytes = 64 * 1024 * 1024
const foundNothing = 1
/** Of a file with rules. */
const mostOfText = 16 * 1024 * 1024
const parameters = ['--no-pager', 'config', '-z', '--show-scope', '--show-origin', '--get-regexp', '.']
/** Files that settings name, and where git looks for them when none does. */
const namedFiles = { 'core.excludesfile': 'ignore', 'core.attributesfile': 'attributes' } as const
/** The others would lead git to another repository than that of the folder. */
const keptVariables = new Set(['GIT_CONFIG_GLOBAL', 'GIT_CONFIG_SYSTEM', 'GIT_CONFIG_NOSYSTEM'])

/**
 * Reads the settings of the person that git has for this folder and that `judgeSetting` gives, so that files for some folders
 * count. Git is asked again only after one of its files changed. There are none when git is missing or does not answer. Null
 * for no folder.
 */
export function createSettingsReader(
  folder: string | null,
  environment: NodeJS.ProcessEnv = process.env,
): () => Promise<PersonalSettings> {
  const home = environment.HOME ?? homedir()
  const place = folder ?? homedir()
  let known:
    | { readonly settings: PersonalSettings; readonly files: readonly string[]; readonly stamp: string }
    | undefined
  return async () => {
    const repository = repositoryOf(place)
    if (known && repository !== undefined && known.stamp === stampOf(repository, known.files)) return known.settings
    // The stamp of the usual files comes first, so that a change while git reads is noticed.
    const usual = usualFiles(home, environment)
    const before = repository === undefined ? undefined : stampOf(repository, usual)
    // Git reads the repository's settings first, and would read a pipe for ever.
    const answer = await askGit(mayAskGit(place) ? place : home, environment)
    const listed = answer ?? []
    const named = Object.entries(namedFiles).flatMap(([key, name]) => {
      const file = namedFile(lastOf(listed, key), name, { place, home, environment })
      return file === null ? [] : [[key, file] as const]
    })
    const files = [
      ...new Set([...usual, ...named.map(([, file]) => file), ...listed.flatMap((one) => filesIn(one, place, home))]),
    ]
    const stamp = repository === undefined ? undefined : stampOf(repository, files)
    const signs = ['commit.gpgsign', 'tag.gpgsign'].some((key) => isOn(listed, key))
    const judged = (wanted: ReturnType<typeof judgeSetting>) =>
      listed.filter((one) => judgeSetting(one.key, one.value) === wanted && !isShown(one, place))
    const withheld = [...new Set(judged('withheld').map(({ key }) => key))]
    const settings: PersonalSettings = {
      values: judged('given').map(({ key, value }) => [key, value] as const),
      texts: Object.fromEntries(named.flatMap(([key, file]) => textOf(file).map((text) => [key, text] as const))),
      ...(signs && { signs }),
      ...(withheld.length > 0 && { withheld }),
    }
    const isSame = answer && repository !== undefined && before === stampOf(repository, usual)
    known = isSame && stamp !== undefined ? { settings, files, stamp } : undefined
    return settings
  }
}

/** One value of git's settings. Null for a key without one. */
interface Setting {
  readonly scope: string
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
  return fields?.flatMap((scope, index) =>
    index % 3 === 0 ? [settingOf(scope, fields[index + 1] ?? '', fields[index + 2] ?? '')] : [],
  )
}

function settingOf(scope: string, origin: string, entry: string): Setting {
  const end = entry.indexOf('\n')
  const [key, value] = end < 0 ? [entry, null] : [entry.slice(0, end), entry.slice(end + 1)]
  return { scope, file: origin.replace(/^file:/, ''), key, value }
}

/** Undefined for no such key. */
function lastOf(listed: readonly Setting[], key: string): string | null | undefined {
  return listed.findLast((setting) => setting.key === key)?.value
}

/** True for what a view shows to git anyway: the settings of the system, of the repository, and of files in the project. */
function isShown({ scope, file, key }: Setting, place: string): boolean {
  if (scope === 'system') return file === '/etc/gitconfig'
  // A view of a folder in a repository has no git, and the author of commits still is the one of there.
  if ((scope !== 'local' && scope !== 'worktree') || key.startsWith('user.')) return false
  return isInside(resolve(place, file), place) || /\.git\/(.+\/)?config(\.worktree)?$/.test(file)
}

/** Null for no file, and for one that the view has itself. */
function namedFile(
  chosen: string | null | undefined,
  name: string,
  {
    place,
    home,
    environment,
  }: { readonly place: string; readonly home: string; readonly environment: NodeJS.ProcessEnv },
): string | null {
  const usual = join(environment.XDG_CONFIG_HOME || join(home, '.config'), 'git', name)
  if (chosen === undefined) return usual
  if (chosen === null || chosen === '') return null
  const file = chosen.startsWith('~/') ? join(home, chosen.slice(2)) : resolve(place, chosen)
  return isInside(file, place) ? null : file
}

function isInside(file: string, folder: string): boolean {
  return file.startsWith(`${folder}/`)
}

/** One text, or none for what is no readable file. */
function textOf(file: string): readonly string[] {
  const text = textIfReadable(file, { most: mostOfText })
  return text === undefined || text === '' ? [] : [text]
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
