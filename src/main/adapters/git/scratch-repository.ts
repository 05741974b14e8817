import { chmodSync, chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTemporary, removeMade } from '../system/made-folders.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { ownerOf } from './ask-repository.ts'
import { keepObjects } from './keep-objects.ts'
import type { OpenRepository, RepositoryParts } from './open-repository.ts'
import { type GitAnswer, runGit } from './run-git.ts'

/** A repository without settings, references and hooks of anybody. Disposing it removes its folder. */
export interface ScratchRepository extends AsyncDisposable {
  /** A private folder beside it. */
  readonly place: string
  /** The folder of its objects, through which git finds those of the person's repository too. */
  readonly objects: string
  /** Runs git there. What it writes waits for `keep`. */
  git(args: readonly string[], input?: Uint8Array | string): Promise<GitAnswer>
  /** Puts the objects that git wrote here into the person's repository. */
  keep(): Promise<void>
}

const longestMs = 30 * 60_000

/**
 * `reads` are folders of objects that git finds there besides those of the person's repository. Such a repository is only to look at
 * them: absent for one that writes.
 */
export async function openScratchRepository(
  repository: OpenRepository,
  temporaryFolder: string,
  reads?: readonly string[],
): Promise<ScratchRepository> {
  const writes = reads === undefined
  const owner = ownerOf(repository.top)
  // Who works as somebody else cannot reach the data folder.
  const around = owner ? makeTemporary('delivery') : temporaryFolder
  if (owner) chmodSync(around, 0o711)
  await mkdir(around, { recursive: true, mode: 0o700 })
  const place = await mkdtemp(join(around, 'delivery-'))
  const remove = () => (owner ? removeMade(around) : rm(place, { recursive: true, force: true }))
  try {
    const [parts, settings] = await Promise.all([repository.parts(), repository.settings()])
    const folder = join(place, 'git')
    makeRepository(folder, parts, reads ?? [])
    if (owner) for (const one of [place, ...foldersIn(folder)]) chownSync(one, owner.uid, owner.gid)
    const sharing = settings.get('core.sharedrepository')?.value ?? ''
    // What is kept is synced there.
    const fixed = [
      'core.ignoreCase=false',
      'core.fsync=none',
      ...(sharing === '' ? [] : [`core.sharedRepository=${sharing}`]),
    ]
    const objects = join(folder, 'objects')
    // Root follows no links of others, so their git writes to their objects itself. A full disk may leave temporary files there.
    const own = owner && writes ? { GIT_OBJECT_DIRECTORY: parts.objects } : {}
    const run = (args: readonly string[], input?: Uint8Array | string) =>
      runGit([...fixed.flatMap((one) => ['-c', one]), ...args], {
        cwd: folder,
        env: {
          ...{ PATH: process.env.PATH, HOME: place, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_NO_LAZY_FETCH: '1' },
          ...{ GIT_CONFIG_GLOBAL: join(place, 'none'), GIT_DIR: folder, GIT_NO_REPLACE_OBJECTS: '1' },
          ...own,
        },
        ...{ timeoutMs: longestMs, runAs: owner, finishes: own.GIT_OBJECT_DIRECTORY !== undefined },
        ...(input !== undefined && { input }),
      })
    return {
      ...{ place, objects, git: run },
      keep: () => (own.GIT_OBJECT_DIRECTORY === undefined ? keepObjects(objects, parts.objects) : Promise.resolve()),
      [Symbol.asyncDispose]: remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

function foldersIn(folder: string): readonly string[] {
  return [folder, ...['objects', 'objects/info', 'refs', 'refs/heads'].map((name) => join(folder, name))]
}

/** A bare repository, as gitrepository-layout(5) says. To start `git init` would take as long as all of this. */
function makeRepository(
  folder: string,
  { objectFormat, objects, shallow }: RepositoryParts,
  alternates: readonly string[],
): void {
  for (const one of foldersIn(folder)) mkdirSync(one)
  const format = objectFormat === 'sha1' ? '' : `[extensions]\n\tobjectFormat = ${objectFormat}\n`
  const version = objectFormat === 'sha1' ? 0 : 1
  writeFileSync(join(folder, 'HEAD'), 'ref: refs/heads/main\n')
  writeFileSync(join(folder, 'config'), `[core]\n\trepositoryFormatVersion = ${version}\n\tbare = true\n${format}`)
  // Without it git looks for commits that are nowhere.
  const end = textIfReadable(shallow)
  if (end !== undefined) writeFileSync(join(folder, 'shallow'), end)
  const read = [...alternates, objects].filter((one) => !one.includes('\n'))
  writeFileSync(join(folder, 'objects/info/alternates'), read.map((one) => `${one}\n`).join(''))
}
