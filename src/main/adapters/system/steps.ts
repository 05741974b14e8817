import { existsSync } from 'node:fs'
import { arch } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { outsideArchive } from './ripgrep-path.ts'

/** A line of user_namespaces(7) for each user: the number inside, the number outside, how many. */
export type UserMap = string

/** What `coppice-enter` does before it becomes a program. `src/native/enter.c` says what each step is. */
export type Step =
  | readonly ['end-with-parent' | 'mounts' | 'processes' | 'answer-renames']
  | readonly ['users', users: UserMap, groups: UserMap]
  | readonly ['overlay', place: string, options: string]
  | readonly ['bind' | 'bind-all', from: string, place: string]
  | readonly ['give', from: string, place: string, how: 'ro' | 'rw', map: UserMap]
  | readonly ['seal' | 'cover' | 'uncover' | 'folder', place: string]
  | readonly ['write', file: string, text: string]
  | readonly ['limit', name: 'open-files' | 'processes' | 'core-bytes' | 'data-bytes', most: `${number}`]
  | readonly ['become', user: `${number}`]
  /** The same step, but what comes after it is done also when it fails. */
  | readonly ['try', ...step: readonly string[]]

/**
 * A command line that takes these steps and then becomes `program`, which may be another such command line: then one
 * program takes the steps of both.
 */
export function afterSteps(
  steps: readonly Step[],
  program: readonly string[],
  enter: string = enterProgram(),
): readonly string[] {
  if (steps.length === 0) return program
  const [first = '', ...rest] = program
  const words = steps.flat()
  if (first === enter) return [enter, ...words, ...rest]
  return [enter, ...words, '--', ...program]
}

let found: string | undefined

/** The path of `coppice-enter`. A bare name where there is none for this machine, so that starting it says so. */
export function enterProgram(): string {
  found ??= findEnter() ?? enterName
  return found
}

/** True where the machine is one that `coppice-enter` was built for. The kernel may still refuse what it asks for. */
export function canEnter(): boolean {
  return process.platform === 'linux' && enterProgram() !== enterName
}

const enterName = 'coppice-enter'

/** In the app's own folder, which is the nearest one with a `package.json`, in a checkout as in a package. */
function findEnter(): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url))
  while (!existsSync(join(folder, 'package.json')) && dirname(folder) !== folder) folder = dirname(folder)
  const place = outsideArchive(join(folder, 'resources/enter', `${enterName}-${arch()}`))
  return existsSync(place) ? place : undefined
}
