import type { MadeRepository } from '#core/ports/branch-mounts.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { joinPath, parentOf, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Layer } from '../layers/layer-store.ts'
import type { MountBase } from '../mount-base.ts'
import { filesOfBase, filesOfView, type GitFiles } from './git-files.ts'
import { gitFolderOf } from './view-indexes.ts'

/**
 * The repositories that commands made in folders of the project that are none for the person, such as by `git init`, `git clone`
 * and `git submodule add`. Of `.git` they have what cannot run anything: objects, references and the index. Settings are new ones, and
 * hooks, other settings and links to objects elsewhere are left out, because an agent wrote them.
 */
export function findMadeRepositories(
  layers: readonly Layer[],
  base: MountBase,
  rootFolder: string | null,
): readonly MadeRepository[] {
  const below = filesOfBase(base)
  const shown = filesOfView(layers, below)
  const units = layers.flatMap(({ units: some }) => some.map(({ path }) => /^(.+?\/\.git)(?:\/|$)/.exec(path)?.[1]))
  const folders = [...new Set(units.flatMap((one) => one ?? []))].sort(byCodeUnit) as VirtualPath[]
  return folders.flatMap((one) => {
    const folder = parentOf(one)
    const git = gitFolderOf(folder, shown, rootFolder === null ? [] : [rootFolder])
    // Beside the files of the project it is a change like them; and a worktree is a part of another repository.
    if (!git?.includes('/.git') || shown.text(joinPath(git, 'commondir')) !== undefined) return []
    if (base.at(one) !== undefined || !isHead(shown.text(joinPath(git, 'HEAD')))) return []
    return [{ folder, files: () => safeFiles(git, joinPath(folder, '.git'), shown) }]
  })
}

const line = /^(?:[0-9a-f]{40}|[0-9a-f]{64}|ref: refs\/\S+)\n?$/

function isHead(text: string | undefined): boolean {
  return text !== undefined && line.test(text)
}

/** `to` is where they go. */
function safeFiles(git: VirtualPath, to: VirtualPath, shown: GitFiles): ReturnType<MadeRepository['files']> {
  const files: { path: VirtualPath; bytes: Uint8Array }[] = []
  const walk = (folder: VirtualPath): void => {
    for (const name of new Set(shown.names(folder))) {
      const path = joinPath(folder, name)
      const bytes = shown.bytes(path)
      if (bytes === undefined) walk(path)
      else if (isSafe(path.slice(git.length + 1), bytes))
        files.push({ path: (to + path.slice(git.length)) as VirtualPath, bytes })
    }
  }
  walk(git)
  const isSha256 = /^\s*objectformat\s*=\s*"?sha256/im.test(shown.text(joinPath(git, 'config')) ?? '')
  return [...files, { path: joinPath(to, 'config'), bytes: Buffer.from(settings(isSha256)) }]
}

function isSafe(name: string, bytes: Uint8Array): boolean {
  if (name === 'HEAD' || name.startsWith('refs/'))
    return !name.endsWith('.lock') && line.test(Buffer.from(bytes).toString())
  return /^(?:index|packed-refs|shallow|logs\/.*(?<!\.lock)|objects\/[0-9a-f]{2}\/[0-9a-f]+|objects\/pack\/pack-[0-9a-f]+\.(?:pack|idx|rev))$/.test(
    name,
  )
}

function settings(isSha256: boolean): string {
  const core = `[core]\n\trepositoryformatversion = ${isSha256 ? 1 : 0}\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n`
  return isSha256 ? `${core}[extensions]\n\tobjectformat = sha256\n` : core
}
