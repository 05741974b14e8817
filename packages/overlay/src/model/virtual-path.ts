import type { Brand } from './brand.ts'
import { failure, type Result, success } from './result.ts'

/**
 * A path inside the project, as tools, patches and screens name it: absolute, with `/` as the project root. No empty
 * components, no `.` or `..`, no trailing slash. Percent forms are literal; `a..b.ts` is an ordinary name.
 */
export type VirtualPath = Brand<'VirtualPath'>

export type PathProblem = 'empty' | 'outside_root' | 'nul' | 'lone_surrogate' | 'drive' | 'unc'

export interface PathError {
  readonly problem: PathProblem
  readonly message: string
}

export const rootPath = '/' as VirtualPath

/** Resolves text from a model or a person against the root. Never throws. */
export function parseVirtualPath(input: string): Result<VirtualPath, PathError> {
  const problem = problemOf(input)
  if (problem) return failure({ problem, message: explain(problem, input) })
  const components: string[] = []
  for (const component of input.split('/')) {
    if (component === '' || component === '.') continue
    if (component !== '..') components.push(component)
    else if (components.pop() === undefined) {
      return failure({ problem: 'outside_root', message: explain('outside_root', input) })
    }
  }
  return success(`/${components.join('/')}` as VirtualPath)
}

function problemOf(input: string): PathProblem | undefined {
  if (input === '') return 'empty'
  if (input.includes('\0')) return 'nul'
  if (!input.isWellFormed()) return 'lone_surrogate'
  if (/^[A-Za-z]:([\\/]|$)/.test(input)) return 'drive'
  if (/^\\\\/.test(input)) return 'unc'
  return undefined
}

function explain(problem: PathProblem, input: string): string {
  const shown = JSON.stringify(input)
  switch (problem) {
    case 'empty':
      return 'The path is empty. Paths start with "/", the project root.'
    case 'outside_root':
      return `The path ${shown} leaves the project root. Use a path below "/".`
    case 'nul':
      return `The path ${shown} contains a NUL character.`
    case 'lone_surrogate':
      return `The path ${shown} is not well-formed Unicode.`
    case 'drive':
    case 'unc':
      return `The path ${shown} is a Windows path. Paths here are virtual and start with "/", the project root.`
  }
}

export function joinPath(folder: VirtualPath, name: string): VirtualPath {
  return (folder === '/' ? `/${name}` : `${folder}/${name}`) as VirtualPath
}

/** The folder that holds `path`; the root is its own parent. */
export function parentOf(path: VirtualPath): VirtualPath {
  return (path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/') as VirtualPath
}

export function nameOf(path: VirtualPath): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** True for `folder` itself and for everything below it. */
export function isWithin(path: VirtualPath, folder: VirtualPath): boolean {
  return folder === '/' || path === folder || path.startsWith(`${folder}/`)
}

/** Every folder above `path`, nearest first, without the root. */
export function ancestorsOf(path: VirtualPath): readonly VirtualPath[] {
  const ancestors: VirtualPath[] = []
  for (let folder = parentOf(path); folder !== '/'; folder = parentOf(folder)) ancestors.push(folder)
  return ancestors
}
