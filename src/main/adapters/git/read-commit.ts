import { type CommittedFile, DeliveryError } from '#core/ports/git-delivery.ts'
import type { ObjectReader } from './object-reader.ts'

/** What commits of one repository have. Trees that were read once are kept. */
export interface CommitReader {
  /** As `filesAt` of the port. */
  filesAt(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, CommittedFile>>
  /** As `filesInTheWay` of the port. */
  filesInTheWay(commit: string, paths: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>
}

/** `mode` in octal with six digits. */
type Entries = ReadonlyMap<string, CommittedFile>

const treeMode = '040000'

export function createCommitReader(objects: ObjectReader): CommitReader {
  const trees = new Map<string, Promise<Entries>>()
  const treeAt = (commit: string, id: string) => {
    const known = trees.get(id) ?? objects.read(id).then((found) => entriesOf(commit, found))
    trees.set(id, known)
    return known
  }
  /** What the commit has at these paths, folders too. */
  async function entriesAt(commit: string, paths: readonly string[]): Promise<Entries> {
    const found = new Map<string, CommittedFile>()
    const walk = async (tree: Entries, folder: string, below: readonly string[]): Promise<void> => {
      const inner = new Map<string, string[]>()
      for (const path of below) {
        const slash = path.indexOf('/', folder.length)
        const name = path.slice(folder.length, slash < 0 ? undefined : slash)
        const entry = tree.get(name)
        if (entry && slash < 0) found.set(path, entry)
        else if (entry?.mode === treeMode) {
          const own = inner.get(name) ?? []
          own.push(path)
          inner.set(name, own)
        }
      }
      const steps = [...inner].map(async ([name, own]) => {
        const entry = tree.get(name)
        if (entry) await walk(await treeAt(commit, entry.id), `${folder}${name}/`, own)
      })
      await Promise.all(steps)
    }
    if (paths.length > 0) await walk(await treeAt(commit, `${commit}^{tree}`), '', paths)
    return found
  }
  async function filesBelow(commit: string, folder: string, { id }: CommittedFile): Promise<readonly string[]> {
    const tree = await treeAt(commit, id)
    const found = [...tree].map(([name, entry]) => {
      const path = `${folder}/${name}`
      return entry.mode === treeMode ? filesBelow(commit, path, entry) : [path]
    })
    return (await Promise.all(found)).flat()
  }
  return {
    async filesAt(commit, paths) {
      const found = await entriesAt(commit, paths)
      return new Map([...found].filter(([, { mode }]) => mode !== treeMode))
    },
    async filesInTheWay(commit, paths) {
      const found = await entriesAt(commit, [...new Set(paths.flatMap((path) => [path, ...foldersOf(path)]))])
      const inTheWay = new Map<string, readonly string[]>()
      for (const path of paths) {
        const above = foldersOf(path).filter((folder) => (found.get(folder)?.mode ?? treeMode) !== treeMode)
        const own = found.get(path)
        const below = own?.mode === treeMode ? await filesBelow(commit, path, own) : []
        if (above.length + below.length > 0) inTheWay.set(path, [...above, ...below])
      }
      return inTheWay
    },
  }
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/')
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'))
}

/** A tree as git stores it: for each entry its mode, a space, its name, a zero byte and the bytes of its id. */
function entriesOf(commit: string, found: Awaited<ReturnType<ObjectReader['read']>>): Entries {
  if (found?.kind !== 'tree') throw new DeliveryError('refused', `Git cannot read all of the commit ${commit}.`)
  const { bytes, id } = found
  const idBytes = id.length / 2
  const entries = new Map<string, CommittedFile>()
  for (let at = 0; at < bytes.length; ) {
    const [space, zero] = [bytes.indexOf(0x20, at), bytes.indexOf(0, at)]
    if (space < 0 || zero < space) throw new DeliveryError('refused', `Git cannot read all of the commit ${commit}.`)
    const end = zero + 1 + idBytes
    const mode = bytes.toString('latin1', at, space).padStart(6, '0')
    entries.set(bytes.toString('utf8', space + 1, zero), { mode, id: bytes.toString('hex', zero + 1, end) })
    at = end
  }
  return entries
}

/** The contents of these objects. One that is missing has no entry. */
export async function readContents(
  objects: ObjectReader,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = await Promise.all([...new Set(ids)].map((id) => objects.read(id)))
  return new Map(found.flatMap((one) => (one === null ? [] : [[one.id, one.bytes] as const])))
}
