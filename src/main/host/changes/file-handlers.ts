import { join } from 'node:path'
import { EditorError, type EditorRequest, openEditor } from '#adapters/programs/open-editor.ts'
import { findHead } from '#core/commands/changes.ts'
import { unwrap } from '#core/commands/command.ts'
import { readBranch } from '#core/journal/read-thread.ts'
import type { BaseNode } from '#core/ports/base-tree.ts'
import type { FileTree } from '#core/ports/file-tree.ts'
import { ownerOf, routeOf } from '#core/tools/namespace/routes.ts'
import { namesOf } from '#core/tools/namespace/store-backends.ts'
import {
  branchScope,
  createOverlayTree,
  emptyTree,
  entriesWithin,
  entryAt,
  isBinary,
  readGitRules,
  type Tree,
} from '#overlay'
import type { FileContent, FileEntry } from '#shared/contract/views/files.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { ChangeKind } from '#shared/model/branch.ts'
import type { BranchId } from '#shared/model/ids.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { HostParts } from '../app/host-parts.ts'
import type { Implementer } from '../app/implementer.ts'
import type { Project } from '../project/project.ts'
import { fileBytes } from './file-versions.ts'

const maxShownBytes = 2 * 1024 * 1024
const imageTypes: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
}

export function fileHandlers(os: Implementer, { projects, settings, options }: HostParts) {
  return {
    list: os.files.list.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const { tree, files } = filesOf(project, input.branchId)
      const listing = await files.list(input.path)
      if (!listing) throw new WireError('NOT_FOUND', `There is no folder ${input.path}.`)
      const { isLeftOut } = await readGitRules(project.services.base, files, [input.path])
      const entries = listing.entries.flatMap(({ name, node }) =>
        fileEntry(tree, joinPath(input.path, name), name, node, isLeftOut),
      )
      return { entries: entries.sort(foldersFirst), unreadable: listing.unreadable }
    }),
    read: os.files.read.handler(async ({ input }) => {
      const project = projects.get(input.projectId)
      const kept = keptFile(project, input.branchId, input.path)
      return kept
        ? toFileContent(input.path, kept.length, kept.subarray(0, maxShownBytes))
        : contentOf(filesOf(project, input.branchId).files, input.path)
    }),
    bytes: os.files.bytes.handler(({ input }) => {
      const project = projects.get(input.projectId)
      return fileBytes(project, filesOf(project, input.branchId).files, input.path)
    }),
    openInEditor: os.files.openInEditor.handler(({ input }) =>
      openOnDisk(projects.get(input.projectId), input, {
        wanted: settings.read().editor,
        path: options.environment.PATH ?? '',
      }),
    ),
    find: os.files.find.handler(async ({ input, signal }) => {
      const project = projects.get(input.projectId)
      const { tree } = filesOf(project, input.branchId)
      const { search, blobs } = project.services
      const scope = branchScope(tree, blobs, rootPath, false)
      return search.find(input.query, input.limit, scope, signal ?? new AbortController().signal)
    }),
  }
}

async function openOnDisk(
  { rootFolder, services }: Project,
  { path, line }: { readonly path: VirtualPath; readonly line: number },
  editor: Pick<EditorRequest, 'wanted' | 'path'>,
): Promise<void> {
  const node = rootFolder === null ? undefined : await services.base.stat(path)
  if (rootFolder === null || node === undefined)
    throw new WireError('REFUSED', `${path} is not in your folder. Apply it to disk first.`)
  if (node.kind !== 'file') throw new WireError('REFUSED', `${path} is not a regular file.`)
  try {
    await openEditor({ ...editor, file: join(rootFolder, path), line, rootFolder })
  } catch (error) {
    throw error instanceof EditorError ? new WireError('REFUSED', error.message) : error
  }
}

function filesOf({ services }: Project, branchId: BranchId | null): { readonly tree: Tree; readonly files: FileTree } {
  const tree = branchId === null ? emptyTree : unwrap(findHead(services, branchId))
  return { tree, files: createOverlayTree({ base: services.base, blobs: services.blobs, tree }) }
}

/** A file beside the project that the branch's family sees: a result, a history, an input, or one behind a route. */
function keptFile({ services }: Project, branchId: BranchId | null, path: VirtualPath): Uint8Array | undefined {
  const { log, scratch, routes } = services
  const branch = branchId === null ? undefined : readBranch(log, branchId)
  const route = routeOf(routes, path)
  if (!branch || !route) return undefined
  const name = namesOf(route, routes).stored(path)
  const { backend } = route
  if (backend.kind === 'scratch')
    return scratch.read(ownerOf(backend, log.rootOf(branch.threadId) ?? branch.threadId), name)
  return backend.kind === 'shared' ? backend.texts.read(name) : undefined
}

function fileEntry(
  tree: Tree,
  path: VirtualPath,
  name: string,
  node: BaseNode,
  isIgnored: (path: VirtualPath, isDirectory: boolean) => boolean,
): readonly FileEntry[] {
  if (node.kind === 'special') return []
  const size = node.kind === 'file' ? node.size : 0
  const changedBelow = node.kind === 'directory' && hasEntryBelow(tree, path)
  const change = changeAt(tree, path)
  // What the branch changed is a change, whatever a rule says.
  const ignored = change === null && !changedBelow && isIgnored(path, node.kind === 'directory')
  const entry = { name, path, kind: node.kind, size, modified: node.modified, change, changedBelow }
  return [ignored ? { ...entry, ignored } : entry]
}

function hasEntryBelow(tree: Tree, path: VirtualPath): boolean {
  for (const [below] of entriesWithin(tree, path)) if (below !== path) return true
  return false
}

function changeAt(tree: Tree, path: VirtualPath): ChangeKind | null {
  const entry = entryAt(tree, path)
  if (!entry?.node) return null
  if (entry.renamedFrom) return 'rename'
  return entry.pin === null ? 'create' : 'modify'
}

function foldersFirst(a: FileEntry, b: FileEntry): number {
  return Number(b.kind === 'directory') - Number(a.kind === 'directory') || a.name.localeCompare(b.name)
}

async function contentOf(files: FileTree, path: VirtualPath): Promise<FileContent> {
  const node = await files.stat(path)
  if (!node || node.kind === 'directory' || node.kind === 'special') return { kind: 'absent' }
  const size = node.kind === 'file' ? node.size : 0
  return toFileContent(path, size, await files.read(path, { offset: 0, length: maxShownBytes }))
}

/** `bytes` is the beginning of a file of `size` bytes. */
function toFileContent(path: VirtualPath, size: number, bytes: Uint8Array): FileContent {
  const mediaType = imageTypes[path.split('.').at(-1)?.toLowerCase() ?? '']
  if (mediaType && size <= maxShownBytes)
    return { kind: 'image', mediaType, base64: Buffer.from(bytes).toString('base64'), size }
  if (isBinary(bytes)) return { kind: 'binary', size }
  return { kind: 'text', text: new TextDecoder().decode(bytes), size, truncated: size > bytes.length }
}
