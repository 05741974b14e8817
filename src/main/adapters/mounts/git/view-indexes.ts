import { isAbsolute, join } from 'node:path/posix'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { IndexesOf } from '../../system/git/git-ignores.ts'
import type { OtherIndex } from '../../system/git/tracked-files.ts'
import type { GitFiles } from './git-files.ts'
import { joinSplitIndex } from './split-index.ts'

/** Git follows more links. Nobody makes so many. */
const mostLinks = 5
const pointer = /^gitdir: (.+?)\n?$/

/**
 * The folder of git of the repository whose files are in `folder`: `.git`, or what a file or link `.git` leads to, as worktrees,
 * submodules and `--separate-git-dir` have it. `places` are the paths by which programs know the project. Undefined for none and for one
 * that is not in the project.
 */
export function gitFolderOf(folder: VirtualPath, files: GitFiles, places: readonly string[]): VirtualPath | undefined {
  let git: VirtualPath | undefined = joinPath(folder, '.git')
  for (let links = 0; git !== undefined && links <= mostLinks; links += 1) {
    const node = files.at(git)
    if (node === undefined) return undefined
    if (node.kind === 'other') return git
    const target: string | undefined = node.kind === 'link' ? node.target : pointer.exec(files.text(git) ?? '')?.[1]
    git = target === undefined ? undefined : pathInProject(parentOf(git), target, places)
  }
  return undefined
}

/** Undefined for a place outside the project. */
function pathInProject(from: VirtualPath, target: string, places: readonly string[]): VirtualPath | undefined {
  const [whole, tops] = isAbsolute(target) ? [join(target), places] : [join('/in', from, target), ['/in']]
  const top = tops.find((one) => whole.startsWith(`${one}/`))
  return top === undefined ? undefined : (whole.slice(top.length).replace(/\/$/, '') as VirtualPath)
}

/**
 * The indexes of git that a view has, as far as the folder has others or none. `below` is what the folder has, and each of `views`
 * a state of the view.
 */
export function indexesOfViews(views: readonly GitFiles[], below: GitFiles, places: readonly string[]): IndexesOf {
  return (name) => {
    const folder = name as VirtualPath
    const real = indexIn(folder, below, places)
    const found = views.flatMap((view) => indexIn(folder, view, places) ?? [])
    const others = new Map(found.map((one) => [`${one.path} ${one.stamp}`, one]))
    if (real) others.delete(`${real.path} ${real.stamp}`)
    return [...others.values()]
  }
}

/** The index of the repository in a folder. Undefined where there is none. */
export function indexIn(
  folder: VirtualPath,
  files: GitFiles,
  places: readonly string[],
): (OtherIndex & { readonly path: VirtualPath }) | undefined {
  const git = gitFolderOf(folder, files, places)
  const path = git && joinPath(git, 'index')
  const node = path && files.at(path)
  if (path === undefined || node?.kind !== 'file') return undefined
  const read = () => {
    const bytes = Buffer.from(node.read() ?? '')
    return joinSplitIndex(bytes, (other) => {
      const shared = files.bytes(joinPath(parentOf(path), other))
      return shared && Buffer.from(shared)
    })
  }
  return { path, stamp: node.stamp(), read }
}
