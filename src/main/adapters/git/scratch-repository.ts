import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { DeliveryError, type DeliveryGround } from '#core/ports/git-delivery.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { askRepository, ownerOf } from './repository-facts.ts'
import { type GitAnswer, gitFailed, runGit, textOf } from './run-git.ts'

/** A repository without settings, references and hooks of anybody. Disposing it removes its folder. */
export interface ScratchRepository extends AsyncDisposable {
  /** A private folder beside it. */
  readonly place: string
  /** The folder of the objects of the person's repository. */
  readonly objects: string
  /** Runs git there. What it writes goes to the objects of the person's repository. */
  git(args: readonly string[], input?: Uint8Array | string): Promise<GitAnswer>
  /** Runs git there with objects of its own. */
  alone(args: readonly string[], input?: Uint8Array | string): Promise<GitAnswer>
}

const longestMs = 30 * 60_000

/** `alternates` are folders of objects that the repository itself reads, besides those of the person's. */
export async function openScratchRepository(
  { top, objectFormat }: DeliveryGround,
  temporaryFolder: string,
  alternates: readonly string[] = [],
): Promise<ScratchRepository> {
  const owner = ownerOf(top)
  // Who works as somebody else cannot reach the data folder.
  const around = owner ? tmpdir() : temporaryFolder
  await mkdir(around, { recursive: true, mode: 0o700 })
  const place = await mkdtemp(join(around, 'delivery-'))
  const remove = () => rm(place, { recursive: true, force: true })
  try {
    const folder = join(place, 'git')
    mkdirSync(folder)
    if (owner) for (const one of [place, folder]) chownSync(one, owner.uid, owner.gid)
    const [paths, shared] = await Promise.all([
      askRepository(top, ['rev-parse', '--git-path', 'objects', '--git-path', 'shallow'], { cwd: top }),
      askRepository(top, ['config', '--get', 'core.sharedRepository'], { cwd: top }),
    ])
    const sharing = textOf(shared)
    const settings = ['core.ignoreCase=false', ...(sharing === '' ? [] : [`core.sharedRepository=${sharing}`])]
    const run = (args: readonly string[], env: NodeJS.ProcessEnv, input?: Uint8Array | string) =>
      runGit([...settings.flatMap((one) => ['-c', one]), ...args], {
        cwd: folder,
        env: {
          ...{ PATH: process.env.PATH, HOME: place, LC_ALL: 'C', GIT_CONFIG_NOSYSTEM: '1', GIT_NO_LAZY_FETCH: '1' },
          ...{ GIT_CONFIG_GLOBAL: join(place, 'none'), GIT_DIR: folder, GIT_NO_REPLACE_OBJECTS: '1' },
          ...env,
        },
        timeoutMs: longestMs,
        runAs: owner,
        ...(input !== undefined && { input }),
      })
    const format = objectFormat === 'sha1' ? [] : [`--object-format=${objectFormat}`]
    const made = await run(['init', '-q', '--bare', '--template=', ...format, '.'], {})
    if (made.status !== 0) throw new DeliveryError('refused', gitFailed('Git cannot make commits', made))
    const [real = '', shallow = ''] = textOf(paths)
      .split('\n')
      .map((path) => resolve(top, path))
    // Where the history of a shallow clone ends. Without it git looks for commits that are nowhere.
    const end = textIfReadable(shallow)
    if (end !== undefined) writeFileSync(join(folder, 'shallow'), end)
    const read = [...alternates, real].filter((one) => !one.includes('\n'))
    mkdirSync(join(folder, 'objects/info'), { recursive: true })
    writeFileSync(join(folder, 'objects/info/alternates'), read.map((one) => `${one}\n`).join(''))
    return {
      place,
      objects: real,
      git: (args, input) => run(args, { GIT_OBJECT_DIRECTORY: real }, input),
      alone: (args, input) => run(args, {}, input),
      [Symbol.asyncDispose]: remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}
