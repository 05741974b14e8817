import { execFileSync, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { environment } from '../../e2e/support/coppice.ts'

/** A project on which Coppice is tried. */
export interface Sample {
  readonly name: string
  /** Programs without which it cannot be tested here. */
  readonly needs: readonly string[]
  /** Fills an empty folder. Throws where its sources cannot be had. */
  readonly write: (folder: string) => void
  /** What its tests need once, as a shell line. */
  readonly setup?: string
  /** Hosts that the setup reaches, as `--allow-host` takes them. */
  readonly hosts?: readonly string[]
  /** A shell line that runs its own tests and prints `tests: RESULT` alone. The results of equal runs are equal. */
  readonly test: string
  /** A text file of it that git tracks. The agent adds an empty line to it. */
  readonly edited: string
  /** What git stores of the edited file, where that is not its text. */
  readonly stored?: RegExp
  /** A server of it: its start, a line that makes it keep something, one that succeeds when that is there later. */
  readonly service?: { readonly start: string; readonly use: string; readonly look: string }
}

const { NODE_EXTRA_CA_CERTS: authorities } = process.env
export const certificates: Readonly<Record<string, string>> =
  authorities === undefined ? {} : { NODE_EXTRA_CA_CERTS: authorities }

/** The first of these programs that `PATH` does not lead to, or null. */
export function missingProgram(programs: readonly string[]): string | null {
  return programs.find((name) => spawnSync('sh', ['-c', `command -v ${name}`]).status !== 0) ?? null
}

/** Runs a shell line in a folder, without the machine's own keys and settings. Throws when it fails. */
export function shell(folder: string, line: string): string {
  const options = { cwd: folder, env: environment(certificates), maxBuffer: 2 ** 28 }
  return execFileSync('bash', ['-c', line], { ...options, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
}

/** Names in what this script adds to each project: a file that is tracked though it is ignored, and an ignored folder. */
export const [tracked, left] = ['smoke-tracked.txt', 'smoke-left']

/** Makes a folder a repository, if it is none. Its commits have an author. */
export function initialize(folder: string, format = 'sha1'): void {
  if (!existsSync(join(folder, '.git'))) shell(folder, `git init -q -b main --object-format=${format} .`)
  shell(folder, 'git config user.name sample && git config user.email sample@localhost')
}

/**
 * Commits everything in a folder, whatever an ignore file says.
 *
 * @param built what its tests build, as lines of `.git/info/exclude`, where the sources come without their `.gitignore`
 */
export function commitAll(folder: string, built: readonly string[] = []): void {
  initialize(folder)
  writeFileSync(join(folder, tracked), 'first\n')
  shell(folder, 'git add -A -f && git commit -q -m first')
  const exclude = resolve(folder, shell(folder, 'git rev-parse --git-path info/exclude').trim())
  mkdirSync(dirname(exclude), { recursive: true })
  writeFileSync(exclude, [`/${tracked}`, `/${left}/`, ...built, ''].join('\n'))
}

/** Kind, mode, time of change and content of each path below a folder as one hash, those of `.git` too. */
export function hashesOf(folder: string): ReadonlyMap<string, string> {
  const hashes = new Map<string, string>()
  const add = (path: string): void => {
    const stats = lstatSync(path)
    const hash = createHash('sha256').update(`${stats.mode}\0${stats.mtimeMs}\0`)
    if (stats.isSymbolicLink()) hash.update(readlinkSync(path))
    else if (stats.isFile()) hash.update(readFileSync(path))
    else if (stats.isDirectory()) for (const name of readdirSync(path)) add(join(path, name))
    hashes.set(path, hash.digest('hex'))
  }
  add(folder)
  return hashes
}

/** The paths whose hashes are different. */
export function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path))
}
