import { entriesWithin, type OverlayTransaction, type Tree } from '#overlay'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { shownName } from '#shared/text/control-characters.ts'
import { BaseTreeError } from '../ports/base-tree.ts'
import type { BranchMounts, MountEntry } from '../ports/branch-mounts.ts'
import { FileTreeError, type WritableTree } from '../ports/file-tree.ts'
import type { Hashing } from '../ports/hashing.ts'
import type { FileScan, ScanQuery } from '../ports/search.ts'
import type { FileAccess } from '../secrets/file-access.ts'
import { isGitConfig, withoutCredentials } from '../secrets/git-credentials.ts'
import { holdsSecret, secretContentBytes, secretContentPattern } from '../secrets/secret-files.ts'

/** What a mount for programs shows otherwise than the branch: nobody is asked about the files that a program opens. */
export interface HiddenFiles {
  /** Files that the agent may not read without asking: by a rule, by their names or by their content. Sorted. */
  readonly paths: readonly VirtualPath[]
  /** Those among them that are hidden because there was no time to look for secrets in them. */
  readonly unsearched: readonly VirtualPath[]
  /** Settings of repositories, without the credentials in them. */
  readonly replaced: readonly MountEntry[]
}

interface HidingContext {
  readonly access: FileAccess
  readonly branch: Pick<OverlayTransaction, 'tree' | 'stat' | 'read'>
  /** The files of the agent's tools, which also lead into the places beside the project. */
  readonly files: Pick<WritableTree, 'stat' | 'read'>
  /** True for programs that find the repository, and so what is committed there. */
  readonly seesGit: boolean
}

interface HidingServices {
  readonly hashing: Pick<Hashing, 'hash'>
  readonly search: FileScan
  readonly mounts: Pick<BranchMounts, 'findCommitted'>
}

/**
 * Looks for files that programs must not see. Names and rules count everywhere, contents outside of folders with
 * packages. A file as it is committed is no secret from a program that could ask git for it. A file that agents made on the
 * branch, such as a certificate for a test, holds no secret of the user, so only rules count for it. A file that was moved
 * is still the user's.
 */
export async function findHiddenFiles(
  context: HidingContext,
  { hashing, search, mounts }: HidingServices,
): Promise<HiddenFiles> {
  const { access, branch, files } = context
  const changed = changedFiles(branch.tree)
  const base = await search.scan(secretsQuery)
  const known = new Set(base.all)
  const byName = base.all.filter((path) => !access.mayRead(path))
  const byContent = base.found.filter((path) => access.mayRead(path))
  const ofAgents = new Set(changed.flatMap(({ path, isOfBase }) => (isOfBase ? [] : [path])))
  const unsearched = await filterAsync(
    base.unsearched.filter((path) => !ofAgents.has(path) && !access.mayShow(path, key)),
    async (path) => (await files.stat(path)) !== undefined,
  )
  const hidden = [
    ...unsearched,
    ...(await filterAsync(
      byName,
      async (path) => !access.mayReadByRules(path) || !(await mayProgramsSee(path, context)),
    )),
    ...(await filterAsync(byContent, async (path) => !(await mayProgramsSee(path, context)))),
    ...(
      await filterAsync(
        changed.filter(({ path }) => !known.has(path)),
        async ({ path, isOfBase }) =>
          !access.mayReadByRules(path) || (isOfBase && !(await mayProgramsSee(path, context))),
      )
    ).map(({ path }) => path),
  ]
  const present = await filterAsync([...new Set(hidden)], async (path) => (await files.stat(path)) !== undefined)
  const replaced = (
    await Promise.all(base.all.filter(isGitConfig).map((path) => gitEntry(path, branch, hashing)))
  ).flat()
  const shown = await committedAmong(present, context, mounts)
  return {
    paths: present.filter((path) => !shown.has(path)).toSorted(byCodeUnit),
    unsearched: unsearched.filter((path) => !shown.has(path)),
    replaced,
  }
}

/** Bytes of a file, and of all together, that are compared with what is committed. Files with secrets are short. */
const mostCommittedBytes = 1024 * 1024
const mostBytesTogether = 16 * 1024 * 1024

/** The files that no rule hides and that the last commit has as they are. */
async function committedAmong(
  paths: readonly VirtualPath[],
  { access, branch, seesGit }: HidingContext,
  mounts: HidingServices['mounts'],
): Promise<ReadonlySet<VirtualPath>> {
  const contents = new Map<VirtualPath, Uint8Array>()
  let bytes = 0
  for (const path of seesGit ? paths : []) {
    if (!access.mayReadByRules(path)) continue
    try {
      const node = await branch.stat(path)
      if (node?.kind !== 'file' || node.size > mostCommittedBytes || bytes + node.size > mostBytesTogether) continue
      bytes += node.size
      contents.set(path, await branch.read(path))
    } catch (error) {
      if (!(error instanceof FileTreeError || error instanceof BaseTreeError)) throw error
    }
  }
  return contents.size === 0 ? new Set() : mounts.findCommitted(contents)
}

/** Bytes of a file of git that is searched for credentials. Only logs can be larger. */
const mostGitBytes = 16 * 1024 * 1024

/** The entry that shows a file of git without credentials. None for a file that holds none; absent for a huge one. */
async function gitEntry(
  path: VirtualPath,
  branch: HidingContext['branch'],
  hashing: HidingServices['hashing'],
): Promise<readonly MountEntry[]> {
  try {
    const node = await branch.stat(path)
    if (node?.kind !== 'file') return []
    if (node.size > mostGitBytes) return [{ kind: 'absent', path }]
    const text = new TextDecoder().decode(await branch.read(path))
    const shown = withoutCredentials(text)
    if (shown === text) return []
    const bytes = new TextEncoder().encode(shown)
    return [{ kind: 'file', path, content: hashing.hash(bytes), read: () => bytes, executable: false }]
  } catch (error) {
    if (error instanceof FileTreeError || error instanceof BaseTreeError) return []
    throw error
  }
}

interface ChangedFile {
  readonly path: VirtualPath
  /** True for a file that was moved or copied: its bytes come from the project, not from agents. */
  readonly isOfBase: boolean
}

function changedFiles(tree: Tree): readonly ChangedFile[] {
  const entries = [...entriesWithin(tree, rootPath)]
  const pinned = new Set(entries.flatMap(([, { pin }]) => (pin?.kind === 'file' ? [pin.blob] : [])))
  return entries.flatMap(([path, { node, renamedFrom }]) => {
    if (!node || node.kind === 'directory') return []
    const isOfBase = renamedFrom !== undefined || (node.kind === 'file' && pinned.has(node.blob))
    return [{ path, isOfBase }]
  })
}

/** Names of folders with the packages of others, which are full of keys for tests, and with the data of git. */
const packageFolders = [
  ...['node_modules', 'bower_components', 'vendor', '.venv', 'venv', 'site-packages', '.tox', 'target', '.gradle'],
  ...['Pods', '.yarn', '.pnpm-store', '.git'],
]

/** One query for all searches, because a search remembers what it found for it. */
export const secretsQuery: ScanQuery = {
  pattern: secretContentPattern,
  startBytes: secretContentBytes,
  holds: holdsSecret,
  skippedFolders: packageFolders,
}

/** Stands for the content of a file that nobody has looked at. */
const key = new TextEncoder().encode('-----BEGIN PRIVATE KEY-----')

/** True when the content of the file may be shown without asking. */
async function mayProgramsSee(path: VirtualPath, context: Pick<HidingContext, 'access' | 'files'>): Promise<boolean> {
  const bytes = await readStart(path, context)
  return bytes === undefined || context.access.mayShow(path, bytes)
}

/** Undefined for a file that cannot be read: no program can read it either. */
async function readStart(path: VirtualPath, { files }: Pick<HidingContext, 'files'>): Promise<Uint8Array | undefined> {
  try {
    return await files.read(path, { offset: 0, length: secretContentBytes })
  } catch (error) {
    if (error instanceof FileTreeError || error instanceof BaseTreeError) return undefined
    throw error
  }
}

async function filterAsync<T>(items: readonly T[], keeps: (item: T) => Promise<boolean>): Promise<readonly T[]> {
  const kept: T[] = []
  for (const item of items) if (await keeps(item)) kept.push(item)
  return kept
}

/** The entries with hidden files absent and replaced files replaced. */
export function withHidden(
  entries: readonly MountEntry[],
  { paths, replaced }: Pick<HiddenFiles, 'paths' | 'replaced'>,
): readonly MountEntry[] {
  const absent = paths.map((path): MountEntry => ({ kind: 'absent', path }))
  const own = [...replaced, ...absent]
  const taken = new Set(own.map(({ path }) => path))
  return [...entries.filter(({ path }) => !taken.has(path)), ...own].sort((a, b) => byCodeUnit(a.path, b.path))
}

const mostNamed = 10

/** How a program ended: what it `wrote`, and that it `passed` as a check, may be due to what it could not read. */
export type EndWithHidden = 'failed' | 'wrote' | 'passed' | 'neither'

/**
 * The hidden files that a program may have missed. All of them when it wrote something or passed, because nobody knows what it
 * looked for. Otherwise those whose names stand in its text or output, or all when it failed and none does.
 */
export function missedFiles(
  { paths }: Pick<HiddenFiles, 'paths'>,
  text: string,
  end: EndWithHidden,
): readonly VirtualPath[] {
  const mentioned = paths.filter((path) => mentions(text, nameOf(path)))
  if (end === 'wrote' || end === 'passed') return [...mentioned, ...paths.filter((path) => !mentioned.includes(path))]
  return mentioned.length > 0 || end === 'neither' ? mentioned : paths
}

/**
 * Says which files those are. Files that were not searched are always counted. Empty when it missed none. `wasTold` says whether
 * the reader knows a note: what stands for any file it may have looked for is said once.
 */
export function hiddenNote(
  files: Pick<HiddenFiles, 'paths' | 'unsearched'>,
  text: string,
  end: EndWithHidden,
  wasTold: (note: string) => boolean = () => false,
): string {
  const missed = missedFiles(files, text, end)
  const note = toldNote(missed, end)
  const isNews = missedFiles(files, text, 'neither').length > 0 || end !== 'wrote' || !wasTold(note)
  return [unsearchedNote(files.unsearched), isNews ? note : againNote(missed)].filter(Boolean).join(' ')
}

function againNote({ length }: readonly VirtualPath[]): string {
  if (length === 0) return ''
  return length === 1
    ? 'The hidden file named before was missing here, too.'
    : `The ${length} hidden files named before were missing here, too.`
}

function unsearchedNote(unsearched: readonly VirtualPath[]): string {
  const [first] = unsearched
  if (first === undefined) return ''
  const named = `${shownName(first)}${unsearched.length > 1 ? ` and ${unsearched.length - 1} more files` : ''}`
  return `The search for secrets was stopped at its limit, so what it did not reach was hidden: ${named}. The next call goes on with it.`
}

function toldNote(told: readonly VirtualPath[], end: EndWithHidden): string {
  if (told.length === 0) return ''
  const more = told.length > mostNamed ? ` and ${told.length - mostNamed} more` : ''
  const [verb, them] = told.length === 1 ? ['was', 'it'] : ['were', 'them']
  const made = {
    wrote: ` What it wrote was made without ${them}.`,
    passed: ` It passed without ${them}.`,
    failed: '',
    neither: '',
  }[end]
  return `${told.slice(0, mostNamed).map(shownName).join(', ')}${more} ${verb} hidden from it: protected by a rule, or may hold secrets.${made} If it needs such a file, ask the user to allow it, for example with the rule Read(${shownName(told[0]?.slice(1) ?? '')}).`
}

/** True when the name stands in the text as a word of its own. */
function mentions(text: string, name: string): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + 1)) {
    const [before = ' ', after = ' '] = [text[at - 1], text[at + name.length]]
    if (!/[\p{L}\p{N}_.-]/u.test(before) && !/[\p{L}\p{N}_-]/u.test(after)) return true
  }
  return false
}
