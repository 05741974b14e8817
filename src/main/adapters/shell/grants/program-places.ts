import { realpathSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join } from 'node:path'
import { isProgram } from '../../system/system-programs.ts'
import { isAbove } from '../readable-places.ts'

interface ProgramSurroundings {
  readonly home: string
  /** As PATH has it. */
  readonly path: string
  /** The project's folders, which a command sees only as views. */
  readonly projects: readonly string[]
  /** Tells what no command may read. */
  readonly isRefused: (place: string) => boolean
}

/**
 * Where the program is installed that a command line begins with, and with it what it needs: a package of npm stands among the
 * packages that it uses. Empty for a program that is not there.
 */
export function programPlaces(
  line: string,
  { home, path, projects, isRefused }: ProgramSurroundings,
): readonly string[] {
  const word = firstWord(line)
  const named = word.startsWith('~/') ? join(home, word.slice(2)) : word
  const tried = isAbsolute(named) ? [named] : path.split(delimiter).map((folder) => join(folder, named))
  const program = named === '' ? undefined : tried.filter(isAbsolute).find(isProgram)
  if (program === undefined) return []
  const mayShow = (place: string) =>
    !isRefused(place) && !projects.some((one) => isAbove(place, one) || isAbove(one, place))
  const places = [program, realpathSync.native(program)].map((file) =>
    mayShow(folderOf(file)) ? folderOf(file) : file,
  )
  return [...new Set(places)].filter((place) => !projects.some((one) => isAbove(one, place)))
}

/** The first word that is no setting of a variable, without the quotes around it. */
function firstWord(line: string): string {
  const word = /^\s*(?:\w+=(?:"[^"]*"|'[^']*'|\S)*\s+)*("[^"]*"|'[^']*'|\S+)/.exec(line)?.[1] ?? ''
  return word.replace(/^(["'])(.*)\1$/, '$2')
}

const packages = '/node_modules'

function folderOf(file: string): string {
  const at = file.indexOf(`${packages}/`)
  return at < 0 ? dirname(file) : file.slice(0, at + packages.length)
}
