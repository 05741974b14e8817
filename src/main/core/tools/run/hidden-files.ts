import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { shownName } from '#shared/base/control-characters.ts'
import { isWithin, nameOf, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { BaseTreeError } from '../../ports/base-tree.ts'
import type { MountEntry } from '../../ports/branch-mounts.ts'
import { FileTreeError } from '../../ports/file-tree.ts'
import type { Hashing } from '../../ports/hashing.ts'
import { isGitConfig, isSecretFile, secretContentBytes, secretContentPattern } from '../../secrets/secret-files.ts'
import type { ToolContext } from '../tool.ts'

/** What a mount for programs shows otherwise than the branch: nobody is asked about the files that a program opens. */
export interface HiddenFiles {
  /** Files that the agent may not read without asking: by a rule, by their names or by their content. Sorted. */
  readonly paths: readonly VirtualPath[]
  /** Settings of repositories, without the credentials in them. */
  readonly replaced: readonly MountEntry[]
}

type HidingContext = Pick<ToolContext, 'access' | 'files' | 'signal'>

/**
 * Looks for files that programs must not see. Names and rules count everywhere. Contents count outside of what
 * `.gitignore` names, because packages are full of keys for their tests.
 */
export async function findHiddenFiles(context: HidingContext, hashing: Pick<Hashing, 'hash'>): Promise<HiddenFiles> {
  const { access, files, signal } = context
  const [all, found] = await Promise.all([
    files.glob('**', rootPath, true, signal),
    files.grep(contentQuery, rootPath, signal),
  ])
  const byName = await filterAsync(
    all.filter((path) => !access.mayRead(path)),
    async (path) => !(isSecretFile(path) && (await mayShow(path, context))),
  )
  const named = new Set(byName)
  const byContent = await filterAsync(
    found.files.map(({ path }) => path).filter((path) => !named.has(path)),
    async (path) => !(await mayShow(path, context)),
  )
  const replaced: MountEntry[] = []
  for (const path of all.filter(isGitConfig)) {
    const bytes = await readStart(path, context)
    if (bytes) replaced.push({ kind: 'file', path, content: hashing.hash(bytes), read: () => bytes, executable: false })
  }
  return { paths: [...byName, ...byContent].sort(byCodeUnit), replaced }
}

const contentQuery = {
  pattern: secretContentPattern,
  context: 0,
  caseInsensitive: false,
  literal: false,
  multiline: false,
}

/** True when the content of the file may be shown without asking. */
async function mayShow(path: VirtualPath, context: HidingContext): Promise<boolean> {
  const bytes = await readStart(path, context)
  return bytes === undefined || context.access.mayShow(path, bytes)
}

/** Undefined for a file that cannot be read: no program can read it either. */
async function readStart(path: VirtualPath, { files }: HidingContext): Promise<Uint8Array | undefined> {
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
export function withHidden(entries: readonly MountEntry[], { paths, replaced }: HiddenFiles): readonly MountEntry[] {
  const absent = paths.map((path): MountEntry => ({ kind: 'absent', path }))
  const own = [...replaced, ...absent]
  const taken = new Set(own.map(({ path }) => path))
  return [...entries.filter(({ path }) => !taken.has(path)), ...own].sort((a, b) => byCodeUnit(a.path, b.path))
}

/** Refuses to change a protected path, and what would replace or remove a file that the program could not see. */
export function refuseProtected(
  path: VirtualPath,
  hidden: readonly VirtualPath[],
  mayChange: (path: VirtualPath) => boolean,
): void {
  const kept = mayChange(path) ? hidden.find((file) => isWithin(file, path) || isWithin(path, file)) : path
  if (kept === undefined) return
  throw new FileTreeError(
    'refused',
    kept,
    `${kept} is protected by a rule or may hold secrets, so programs cannot change or remove it. None of the changes were kept. Use the file tools for it, which ask.`,
  )
}

const mostNamed = 10

/**
 * Names the hidden files that a program seems to need: those that its text or output names, or all when it failed
 * without naming one. Empty when there is nothing to tell.
 */
export function hiddenNote(hidden: readonly VirtualPath[], text: string, failed: boolean): string {
  const mentioned = hidden.filter((path) => text.includes(nameOf(path)))
  const told = mentioned.length > 0 ? mentioned : failed ? hidden : []
  if (told.length === 0) return ''
  const more = told.length > mostNamed ? ` and ${told.length - mostNamed} more` : ''
  const verb = told.length === 1 ? 'was' : 'were'
  return `${told.slice(0, mostNamed).map(shownName).join(', ')}${more} ${verb} hidden from it: protected by a rule, or may hold secrets. If it needs such a file, ask the user to allow it, for example with the rule Read(${shownName(told[0]?.slice(1) ?? '')}).`
}
