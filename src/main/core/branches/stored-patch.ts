import { type CollectedPatch, type LeftOut, type PatchFile, type PatchSide, sameBytes } from '#overlay'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shellWord, shownName } from '#shared/text/control-characters.ts'
import { plural } from '#shared/text/plural.ts'
import type { GitStorage, ObjectFormat, StoredFile, StoredFiles, WorkingFile } from '../ports/git-storage.ts'

/** A patch of the files as git stores them. */
export interface StoredPatch extends Pick<CollectedPatch, 'files' | 'base' | 'leftOut'> {
  /** What whoever takes the patch must know, as whole sentences. */
  readonly notes: readonly string[]
  readonly objectFormat: ObjectFormat
  /** Of the project below the top of its repository: empty, or a path that ends with a slash. */
  readonly prefix: string
  /** What the files stand on that is in no commit, by the old path of each. Null before the first commit. */
  readonly uncommitted: StoredFiles['uncommitted']
}

/** Which repository a patch is for. */
type WantedRepository =
  | { readonly isChosen: boolean; readonly repository?: undefined }
  /** Its folder, relative to the project: empty for the one around it. */
  | { readonly repository: string; readonly isChosen?: undefined }

/**
 * Makes of changed files what git would store of them, as `git diff` of the repository does: paths from its top, its line
 * ends, and pointers where git keeps the content elsewhere. A folder that is a repository of its own is no part of the
 * patch, and so is one of `made`, which commands made. The patch is for the repository around the project, for `repository`, or, when
 * a person chose files of one such folder alone (`isChosen`), for that one.
 */
export async function asGitStores(
  storage: GitStorage,
  collected: CollectedPatch,
  { made, ...wanted }: WantedRepository & { readonly made: readonly VirtualPath[] },
): Promise<StoredPatch> {
  const known = await storage.innerRepositories([...new Set(collected.files.flatMap(pathsOf))])
  const inner = new Set([...known, ...made.map((folder) => folder.slice(1))])
  const { repository, files, leftOut } = takeOneRepository(collected, { inner, made, wanted })
  const named = new Set(files.map(sourceOf))
  const base = collected.base.filter(({ path }) => named.has(path))
  const before = base.map(workingFile)
  const after = files.flatMap(({ path, after: side, renamedFrom }) =>
    side ? [{ ...workingFile({ ...side, path }), ...(renamedFrom !== undefined && { renamedFrom }) }] : [],
  )
  const { attributes } = collected
  const stored = files.length === 0 ? null : await storage.store({ repository, before, after, attributes })
  const below = repository === '' ? '' : `${repository}/`
  const rename = (path: string) => (stored?.prefix ?? '') + path.slice(below.length)
  const refused = files.flatMap((file) => refusalOf(file, stored))
  const gone = new Set(refused.map(({ file }) => file))
  const kept = files.filter((file) => !gone.has(file))
  const sources = new Set(kept.map(sourceOf))
  const all = kept.map((file) => ({ path: file.path, file: storedFile(file, stored, rename) }))
  return {
    files: all.flatMap(({ file }) => (isChange(file) ? [file] : [])),
    base: base.flatMap(({ path, ...side }) =>
      sources.has(path) ? [{ ...sideIn(stored?.before, path, side), path: rename(path) }] : [],
    ),
    leftOut: [
      ...collected.leftOut,
      ...leftOut,
      ...refused.map(({ file, why }) => ({ path: joinPath(rootPath, file.path), why })),
      ...all.flatMap(({ path, file }) =>
        isChange(file)
          ? []
          : [
              {
                path: joinPath(rootPath, path),
                why: 'Git stores the same as before: line ends, modes and the like alone changed.',
              },
            ],
      ),
    ],
    notes: notesOf(stored, repository),
    objectFormat: stored?.objectFormat ?? 'sha1',
    prefix: stored?.prefix ?? '',
    uncommitted: stored?.uncommitted ? renamedKeys(stored.uncommitted, rename) : null,
  }
}

function renamedKeys<Value>(
  values: ReadonlyMap<string, Value>,
  rename: (path: string) => string,
): ReadonlyMap<string, Value> {
  return new Map([...values].map(([path, value]) => [rename(path), value]))
}

/** The old path of a file that has one. */
function sourceOf({ path, renamedFrom = path }: PatchFile): string {
  return renamedFrom
}

function pathsOf({ path, renamedFrom }: PatchFile): readonly string[] {
  return renamedFrom === undefined ? [path] : [path, renamedFrom]
}

/** Keeps the files of one repository. A file that moved from one to another is deleted in one and new in the other. */
function takeOneRepository(
  collected: CollectedPatch,
  {
    inner,
    made,
    wanted,
  }: { readonly inner: ReadonlySet<string>; readonly made: readonly VirtualPath[]; readonly wanted: WantedRepository },
) {
  const homeOf = (path: string) =>
    [...inner].filter((folder) => path.startsWith(`${folder}/`)).sort((a, b) => b.length - a.length)[0] ?? ''
  const parted = collected.files.flatMap((file): readonly PatchFile[] => {
    const { path, before, after, renamedFrom } = file
    if (renamedFrom === undefined || homeOf(renamedFrom) === homeOf(path)) return [file]
    return [
      { path: renamedFrom, before, after: null },
      { path, before: null, after },
    ]
  })
  const homes = new Set(parted.map(({ path }) => homeOf(path)))
  const [first = ''] = homes
  const chosen = wanted.isChosen === true && homes.size === 1 ? first : ''
  const repository = wanted.repository ?? chosen
  const isTaken = ({ path }: PatchFile) => homeOf(path) === repository
  // One that is new is one thing for a person; of another one they know the files.
  const named = new Map(
    parted
      .filter((file) => !isTaken(file))
      .map(({ path }) => {
        const home = homeOf(path)
        const isMade = made.includes(joinPath(rootPath, home))
        return [isMade ? home : path, home]
      }),
  )
  const leftOut = [...named].map(([path, home]): LeftOut => leftInRepository(path, home))
  return { repository, files: parted.filter(isTaken), leftOut }
}

function leftInRepository(path: string, home: string): LeftOut {
  const folder = shownName(`/${home}`)
  const line = `coppice diff THREAD --paths ${shellWord(`/${home}`)}`
  return {
    path: joinPath(rootPath, path),
    why: `${path === home ? 'It is a new repository' : `It belongs to the repository ${folder}`}, which has patches of its own: choose files of ${folder} alone (${line}), and let git apply that patch there. Applying writes it.`,
  }
}

function workingFile({ path, mode, bytes, large }: PatchSide & { readonly path: string }): WorkingFile {
  return { path, mode, bytes, ...(large && { large }) }
}

function refusalOf(file: PatchFile, stored: StoredFiles | null): readonly { file: PatchFile; why: string }[] {
  const sides = [stored?.before.get(sourceOf(file)), file.after ? stored?.after.get(file.path) : undefined]
  return sides.flatMap((side) => (side?.kind === 'refused' ? [{ file, why: side.why }] : [])).slice(0, 1)
}

function storedFile(
  { path, before, after, renamedFrom }: PatchFile,
  stored: StoredFiles | null,
  rename: (path: string) => string,
): PatchFile {
  const file = {
    path: rename(path),
    before: before && sideIn(stored?.before, renamedFrom ?? path, before),
    after: after && sideIn(stored?.after, path, after),
  }
  return renamedFrom === undefined ? file : { ...file, renamedFrom: rename(renamedFrom) }
}

function sideIn(stored: ReadonlyMap<string, StoredFile> | undefined, path: string, side: PatchSide): PatchSide {
  const found = stored?.get(path)
  if (found === undefined || found.kind === 'refused') return side
  return { mode: found.mode, bytes: found.bytes }
}

/** False for a file of which git stores the same as before, such as one whose line ends alone changed. */
function isChange({ before, after, renamedFrom }: PatchFile): boolean {
  if (!before || !after || renamedFrom !== undefined || before.largeId !== after.largeId) return true
  return before.mode !== after.mode || !sameBytes(before.bytes, after.bytes)
}

function notesOf(stored: StoredFiles | null, repository: string): readonly string[] {
  if (stored === null) return []
  const { problem, uncommitted, after } = stored
  const pointers = [...after].flatMap(([path, { kind }]) => (kind === 'pointer' ? [path] : []))
  const notes: string[] = []
  if (repository !== '')
    notes.push(`This patch is for the repository ${shownName(`/${repository}`)}: let git apply it there.`)
  if (problem !== null)
    notes.push(
      `Git cannot read the index of the repository (${problem}), so nobody knows what is committed below this patch.`,
    )
  if (uncommitted === null)
    notes.push('The repository has no commit yet, so this patch stands on files of the folder alone.')
  else if (uncommitted.size > 0)
    notes.push(
      `This patch stands on changes of the folder that are in no commit: ${listOf([...uncommitted].map(([path, how]) => `${shownName(path)} (${words[how]})`))}. "git apply" takes it in that folder as it is; "git apply --index" and another clone take it once they are committed.`,
    )
  if (pointers.length > 0)
    notes.push(
      `Of ${listOf(pointers.map(shownName))} the patch has only the pointer of git LFS, as git stores it. "coppice apply" writes the content. To take the patch without it: GIT_LFS_SKIP_SMUDGE=1 git apply --index.`,
    )
  return notes
}

const words = {
  modified: 'modified',
  untracked: 'not tracked',
  staged: 'only staged',
  deleted: 'missing in the folder',
  unmerged: 'in an unfinished merge',
} as const

const mostNamed = 20

function listOf(names: readonly string[]): string {
  const more = names.length - mostNamed
  return `${names.slice(0, mostNamed).join(', ')}${more > 0 ? ` and ${plural(more, 'more file', 'more files')}` : ''}`
}
