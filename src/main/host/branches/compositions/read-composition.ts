import { createPace } from '#adapters/pace.ts'
import { unwrap } from '#core/commands/command.ts'
import {
  type CompositionRequest,
  type FoundComposition,
  fileFingerprint,
  findComposition,
  readComposition,
} from '#core/commands/compose/composition.ts'
import { type ComposedFile, hunksOf, proposeFile, type SourceVersion } from '#overlay'
import type {
  CompositionFile,
  CompositionRow,
  CompositionSource,
  CompositionVersion,
  CompositionView,
} from '#shared/contract/views/compositions.ts'
import { WireError } from '#shared/contract/wire-errors.ts'
import type { CheckState } from '#shared/model/check.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../../project/project.ts'

interface ReadComposition {
  readonly found: FoundComposition
  readonly files: readonly ComposedFile[]
  readonly sources: readonly CompositionSource[]
}

/** What a person looked at last, because each of its files is asked for by itself. */
const lastRead = new WeakMap<Project, ReadComposition>()

/** What can be composed of these branches, as it is now. */
export async function viewComposition(project: Project, request: CompositionRequest): Promise<CompositionView> {
  const read = await readAll(project, request)
  return { sources: read.sources, files: read.files.map((file) => rowOf(project, read, file)) }
}

/** One file with its lines. */
export async function viewFile(
  project: Project,
  request: CompositionRequest,
  path: VirtualPath,
): Promise<CompositionFile> {
  const found = unwrap(findComposition(project.services, request))
  const last = lastRead.get(project)
  const read = last && isSame(last.found, found) ? last : await readAll(project, request)
  const file = read.files.find((one) => one.path === path)
  if (!file)
    throw new WireError('NOT_FOUND', `No branch changed ${path}, or all have it as the branch that gets the result.`)
  return { ...rowOf(project, read, file), segments: file.segments }
}

async function readAll(project: Project, request: CompositionRequest): Promise<ReadComposition> {
  const found = unwrap(findComposition(project.services, request))
  const files = await readComposition(project.services, found, createPace())
  const read = { found, files, sources: await describeSources(project, found) }
  lastRead.set(project, read)
  return read
}

function isSame(one: FoundComposition, other: FoundComposition): boolean {
  if (one.into.id !== other.into.id || one.fork !== other.fork || one.sources.length !== other.sources.length)
    return false
  return one.sources.every(({ branch, tree }, at) => {
    const twin = other.sources[at]
    return twin?.branch.id === branch.id && twin.tree === tree
  })
}

async function describeSources(
  { checks: { runs } }: Project,
  { sources }: FoundComposition,
): Promise<readonly CompositionSource[]> {
  const now = await runs.ofBranches(sources.flatMap(({ branch, sequence }) => (sequence === null ? [branch.id] : [])))
  const states = new Map(now.map(({ branchId, state }) => [branchId, state]))
  return Promise.all(
    sources.map(async ({ branch, sequence, tree }): Promise<CompositionSource> => {
      const state: CheckState =
        sequence === null ? (states.get(branch.id) ?? 'none') : (await runs.ofTree(branch.id, tree, 'branch')).state
      const name = branch.parentId === null ? 'workspace' : branch.name
      return {
        branchId: branch.id,
        sequence,
        name,
        handle: branch.parentId === null ? null : branch.handle,
        checks: state,
      }
    }),
  )
}

function rowOf({ services }: Project, { sources }: ReadComposition, file: ComposedFile): CompositionRow {
  const green = new Set(sources.flatMap(({ checks }, source) => (checks === 'green' ? [source] : [])))
  const { path, paths } = file
  const place = paths.indexOf(path)
  return {
    ...{ path, paths, fingerprint: fileFingerprint(services, file) },
    versions: file.versions.map((version) => versionOf(version, place)),
    hunks: hunksOf(file.segments).length,
    proposal: proposeFile(file, green),
  }
}

function versionOf({ source, nodes, whole }: SourceVersion, place: number): CompositionVersion {
  const node = nodes[place] ?? null
  if (node === null) return { source, state: 'absent', size: 0, executable: false, identity: null, whole }
  if (node.kind === 'symlink')
    return { source, state: 'symlink', size: node.target.length, executable: false, identity: node.target, whole }
  const { size, executable, blob } = node
  return { source, state: 'file', size, executable, identity: blob, whole }
}
