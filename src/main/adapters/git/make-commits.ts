import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { DeliveryError, type DeliveryGround, type FileVersion, type PlannedCommit } from '#core/ports/git-delivery.ts'
import { textIfReadable } from '../system/read-bounded.ts'
import { askRepository } from './ask-repository.ts'
import type { OpenRepository } from './open-repository.ts'
import { gitFailed, textOf } from './run-git.ts'
import { openScratchRepository, type ScratchRepository } from './scratch-repository.ts'

interface MakeOptions {
  /** A private folder. */
  readonly temporaryFolder: string
  readonly sign: boolean
  /** Whether a program that signs and that only this repository names may run. */
  readonly trusts: boolean
  /** As git writes it into a commit. */
  readonly author: string
}

/** A person may have to touch a key or to type its password. */
const signTimeoutMs = 5 * 60_000

/**
 * Writes commits into the objects of the person's repository. `git fast-import` does it in a repository of its own that reads
 * these objects: it needs a branch to write to, and this one is nobody's. What it wrote is kept when all of it is there. Returns
 * the ids, in order.
 */
export async function makeCommits(
  repository: OpenRepository,
  ground: DeliveryGround,
  commits: readonly PlannedCommit[],
  options: MakeOptions,
): Promise<readonly string[]> {
  await using scratch = await openScratchRepository(repository, options.temporaryFolder)
  const stream = await streamOf(repository, ground, commits, options.author)
  const marks = join(scratch.place, 'marks')
  const imported = await scratch.git(
    ['fast-import', '--quiet', '--done', '--date-format=raw', `--export-marks=${marks}`],
    stream,
  )
  if (imported.status !== 0) throw new DeliveryError('refused', gitFailed('Git did not take the commits', imported))
  const made = (textIfReadable(marks) ?? '')
    .split('\n')
    .flatMap((line): [number, string][] => {
      const [, number, id] = /^:(\d+) ([0-9a-f]+)$/.exec(line) ?? []
      return number !== undefined && id !== undefined ? [[Number(number), id]] : []
    })
    .sort(([a], [b]) => a - b)
    .map(([, id]) => id)
  if (made.length !== commits.length) throw new Error('git fast-import made another number of commits than asked for.')
  const ids = options.sign ? await signed(ground, commits, made, { trusts: options.trusts, scratch }) : made
  await scratch.keep()
  return ids
}

/** Commits as `git fast-import` reads them. The last one is `refs/coppice/delivery` there. */
export async function streamOf(
  repository: OpenRepository,
  ground: Pick<DeliveryGround, 'base'>,
  commits: readonly PlannedCommit[],
  author: string,
): Promise<Uint8Array> {
  return importStream(ground, commits, { author, committer: await committerOf(repository, author) })
}

/** The author, unless settings name one of both by itself. */
async function committerOf(repository: OpenRepository, author: string): Promise<string> {
  const keys = [...(await repository.settings()).keys()]
  if (!keys.some((key) => /^(author|committer)\./.test(key))) return author
  const answer = await repository.ask('var', 'GIT_COMMITTER_IDENT')
  if (answer.status !== 0) throw new DeliveryError('refused', gitFailed('Git does not know who commits', answer))
  return textOf(answer)
}

/** What `git fast-import` reads. Removed paths come first, since a file may take the place of a folder and the reverse. */
function importStream(
  { base }: Pick<DeliveryGround, 'base'>,
  commits: readonly PlannedCommit[],
  { author, committer }: { readonly author: string; readonly committer: string },
): Uint8Array {
  const parts: (string | Uint8Array)[] = []
  for (const [at, { message, files }] of commits.entries()) {
    parts.push(`commit refs/coppice/delivery\nmark :${at + 1}\n`)
    parts.push(`author ${author}\ncommitter ${committer}\n`)
    parts.push(...dataOf(Buffer.from(message)))
    if (at === 0) parts.push(`from ${base}\n`)
    for (const [path, file] of files) if (file === null) parts.push(`D ${quoted(path)}\n`)
    for (const [path, file] of files) if (file !== null) parts.push(...fileOf(path, file))
  }
  parts.push('done\n')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

function fileOf(path: string, { mode, id, bytes }: FileVersion): readonly (string | Uint8Array)[] {
  if (bytes === undefined) return [`M ${mode} ${id} ${quoted(path)}\n`]
  return [`M ${mode} inline ${quoted(path)}\n`, ...dataOf(bytes)]
}

function dataOf(bytes: Uint8Array): readonly (string | Uint8Array)[] {
  return [`data ${bytes.length}\n`, bytes, '\n']
}

/** In quotes of C, as fast-import reads any name. */
function quoted(path: string): string {
  const escaped = path.replace(/["\\]/g, '\\$&').replaceAll('\n', '\\n')
  return `"${escaped}"`
}

interface SignOptions extends Pick<MakeOptions, 'trusts'> {
  readonly scratch: ScratchRepository
}

/** The same commits with a signature each, made by the person's own git. All are signed before one reaches the repository. */
async function signed(
  { top, base }: DeliveryGround,
  commits: readonly PlannedCommit[],
  made: readonly string[],
  { trusts, scratch: { place, objects, git } }: SignOptions,
): Promise<readonly string[]> {
  // The message is UTF-8, whatever the settings say of messages that people type.
  const settings = ['-c', 'i18n.commitEncoding=UTF-8', ...(trusts ? [] : await personalSigning(top))]
  const env = {
    TMPDIR: place,
    GIT_OBJECT_DIRECTORY: join(place, 'signed'),
    GIT_ALTERNATE_OBJECT_DIRECTORIES: JSON.stringify(objects),
  }
  await mkdir(env.GIT_OBJECT_DIRECTORY)
  const ids: string[] = []
  for (const [at, { message }] of commits.entries()) {
    const answer = await askRepository(
      top,
      [...settings, 'commit-tree', '-S', '-p', ids.at(-1) ?? base, '-F', '-', `${made[at]}^{tree}`],
      { cwd: top, input: message, timeoutMs: signTimeoutMs, env },
    )
    if (answer.status !== 0)
      throw new DeliveryError(
        'refused',
        `${gitFailed('The commit could not be signed', answer)} Nothing was delivered.`,
      )
    ids.push(textOf(answer))
  }
  for (const id of ids) {
    const { stdout } = await askRepository(top, ['cat-file', 'commit', id], { cwd: top, env })
    // As the owner of the repository, who could not remove what root writes there.
    const written = await git(['hash-object', '-t', 'commit', '-w', '--stdin'], stdout)
    if (textOf(written) !== id) throw new DeliveryError('refused', gitFailed('Git did not take the commits', written))
  }
  return ids
}

/** What signs, from the person's own settings alone. */
async function personalSigning(top: string): Promise<readonly string[]> {
  const names = [
    'gpg.program',
    'gpg.openpgp.program',
    'gpg.ssh.program',
    'gpg.x509.program',
    'gpg.ssh.defaultKeyCommand',
  ]
  const usual = ['gpg', 'gpg', 'ssh-keygen', 'gpgsm', '']
  const found = await Promise.all(
    names.map((name) => askRepository(top, ['config', '--global', '--get', name], { cwd: top })),
  )
  return found.flatMap(({ status, stdout }, at) => [
    '-c',
    `${names[at]}=${status === 0 ? stdout.toString().trim() : usual[at]}`,
  ])
}
