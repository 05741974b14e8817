import { parseVirtualPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { printableJson, shownName } from '#shared/text/control-characters.ts'
import { BaseTreeError } from '../ports/base-tree.ts'
import type { MountPlace, NotKept, PlaceChange, RefusedLink } from '../ports/branch-mounts.ts'
import { FileTreeError, type WritableTree } from '../ports/file-tree.ts'
import type { FileAccess } from '../secrets/file-access.ts'

/** What a run changed in the places beside the project. */
export interface TakenPlaces {
  /** In words: `wrote /inputs/a`. */
  readonly taken: readonly string[]
  /** What was not kept, each with its reason. */
  readonly refused: readonly RefusedChange[]
}

export interface RefusedChange {
  /** As programs named it. */
  readonly path: string
  /** A clause for a sentence in brackets. */
  readonly why: string
}

interface PlaceContext {
  readonly files: Pick<WritableTree, 'stat' | 'read' | 'write' | 'delete'>
  readonly access: FileAccess
}

/**
 * Writes what programs changed in the places, by the code and under the rules of the file tools. The rest stands when
 * one change is refused.
 */
export async function takeOverPlaces(
  context: PlaceContext,
  places: readonly MountPlace[],
  changes: readonly PlaceChange[],
): Promise<TakenPlaces> {
  const taken: string[] = []
  const refused: RefusedChange[] = []
  // A file may have taken the place of a folder, so that everything in it must go first.
  for (const change of changes.toSorted((a, b) => rankOf(a) - rankOf(b))) {
    const why = await takeOver(context, places, change)
    if (why !== undefined) refused.push({ path: change.path, why })
    else taken.push(`${change.kind === 'absent' ? 'deleted' : 'wrote'} ${change.path}`)
  }
  return { taken, refused }
}

function rankOf({ kind }: PlaceChange): number {
  return kind === 'absent' ? 0 : 1
}

/** Undefined when the change was taken over; otherwise why not. */
async function takeOver(
  { files, access }: PlaceContext,
  places: readonly MountPlace[],
  change: PlaceChange,
): Promise<string | undefined> {
  const place = places.find(({ path }) => `${change.path}/`.startsWith(`${path}/`))
  if (!place?.writable) return 'programs may only read this place; use the file tools'
  if (change.kind === 'refused') return `it is ${change.why}`
  const path = parseVirtualPath(change.path)
  if (!path.ok || path.value !== change.path) return 'the file tools cannot have this name'
  // What programs did not see, they would overwrite blindly.
  if (!access.mayChange(path.value) || (await isHidden(path.value, { files, access })))
    return 'a rule protects it, or it may hold secrets; use the file tools, which ask'
  try {
    await apply(files, path.value, change)
    return undefined
  } catch (error) {
    if (error instanceof FileTreeError || error instanceof BaseTreeError) return error.message
    throw error
  }
}

async function isHidden(path: VirtualPath, { files, access }: PlaceContext): Promise<boolean> {
  if (access.mayRead(path) || (await files.stat(path)) === undefined) return false
  return !access.mayReadByRules(path) || !access.mayShow(path, await files.read(path))
}

async function apply(
  files: PlaceContext['files'],
  path: VirtualPath,
  change: Exclude<PlaceChange, { kind: 'refused' }>,
): Promise<void> {
  if (change.kind === 'file') await files.write(path, change.bytes)
  else if (await files.stat(path)) await files.delete(path)
}

const mostNamed = 10

/** A sentence that names refused changes; empty when there are none. */
export function refusedText(refused: readonly RefusedChange[]): string {
  if (refused.length === 0) return ''
  const named = refused.slice(0, mostNamed).map(({ path, why }) => `${printableJson(path)} (${why})`)
  const more = refused.length > mostNamed ? ` and ${refused.length - mostNamed} more` : ''
  return `Not kept: ${named.join(', ')}${more}.`
}

/** A sentence about files that programs do not find; empty when there are none. */
export function leftOutText(leftOut: readonly VirtualPath[]): string {
  if (leftOut.length === 0) return ''
  const more = leftOut.length > mostNamed ? ` and ${leftOut.length - mostNamed} more` : ''
  return `Not there for programs, because they are too many or too large or no file can have their name: ${leftOut.slice(0, mostNamed).map(shownName).join(', ')}${more}. The file tools can read them.`
}

const whyNotKept: Readonly<Record<NotKept['why'], string>> = {
  too_large: 'larger than a change may be: it can be moved and deleted, or be named by a .gitignore',
  too_much: 'among the largest of too many or too large files for one change: name them in a .gitignore, or write less',
  too_deep: 'its path is longer than 2,048 bytes or goes down more than 200 folders, and so do those of all below it',
  only_copy: 'as it was, because its content may be in a file that is not kept',
  name: 'its name is not UTF-8, nor is where a link leads',
  special: 'no file, folder or link',
  folder_mode:
    'its permissions, which later commands of this branch find: changes keep those of files alone, as git does, so an apply leaves the folder as it is, or makes it with the usual ones',
  beside: 'saved by the user meanwhile, so shown as it is on disk: do it again if it is still needed',
  other_folder:
    'this path is another folder of the project, which commands find by its variable: make it there, or elsewhere',
}

/** Sentences about changes that are not kept, one for each reason; empty when all are. */
export function notKeptText(notKept: readonly NotKept[]): string {
  const reasons = [...new Set(notKept.map(({ why }) => why))]
  return reasons
    .map((reason) => {
      const all = notKept.filter(({ why }) => why === reason)
      const named = all.slice(0, mostNamed).map(({ path, size, keptAs }) => {
        const details = [...(size > 0 ? [`${size} bytes`] : []), ...(keptAs ? [`now ${shownName(keptAs)}`] : [])]
        return shownName(path) + (details.length > 0 ? ` (${details.join(', ')})` : '')
      })
      const more = all.length > mostNamed ? ` and ${all.length - mostNamed} more` : ''
      return `Not kept: ${named.join(', ')}${more} (${whyNotKept[reason]}).`
    })
    .join('\n')
}

const mostLinksNamed = 20

/** A sentence about links that were not kept; empty when there are none. */
export function linksText(links: readonly RefusedLink[]): string {
  if (links.length === 0) return ''
  const named = links.slice(0, mostLinksNamed).map(({ path, target }) => `${shownName(path)} to ${shownName(target)}`)
  const more = links.length > mostLinksNamed ? ` and ${links.length - mostLinksNamed} more` : ''
  return `Links that lead out of the project were not kept: ${named.join(', ')}${more}.`
}
