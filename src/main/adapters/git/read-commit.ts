import { type CommittedFile, DeliveryError } from '#core/ports/git-delivery.ts'
import { askRepository, partsOf } from './repository-facts.ts'
import { gitFailed } from './run-git.ts'

/** In characters, far below what systems take. */
const mostArguments = 60_000

/** What a commit has at these paths. A path without a file is missing. */
export async function listFiles(
  top: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, CommittedFile>> {
  const entries = await listTree(top, commit, paths)
  return new Map(entries.flatMap(({ path, kind, mode, id }) => (kind === 'tree' ? [] : [[path, { mode, id }]])))
}

/** As `filesInTheWay` of the port. */
export async function findInTheWay(
  top: string,
  commit: string,
  paths: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const above = new Map(paths.map((path) => [path, foldersOf(path)]))
  const files = await listFiles(top, commit, [...new Set([...above.values()].flat())])
  const trees = (await listTree(top, commit, paths)).filter(({ kind }) => kind === 'tree').map(({ path }) => path)
  const below = await listTree(top, commit, trees, ['-r'])
  const found = [...above].map(([path, folders]) => {
    const inside = below.filter((one) => one.path.startsWith(`${path}/`)).map((one) => one.path)
    return [path, [...folders.filter((folder) => files.has(folder)), ...inside]] as const
  })
  return new Map(found.filter(([, inTheWay]) => inTheWay.length > 0))
}

function foldersOf(path: string): readonly string[] {
  const names = path.split('/')
  return names.slice(1).map((_, at) => names.slice(0, at + 1).join('/'))
}

interface TreeEntry extends CommittedFile {
  readonly path: string
  /** `blob`, `tree`, or `commit` for a submodule. */
  readonly kind: string
}

async function listTree(
  top: string,
  commit: string,
  paths: readonly string[],
  options: readonly string[] = [],
): Promise<readonly TreeEntry[]> {
  const found: TreeEntry[] = []
  for (const some of inPieces(paths, mostArguments)) {
    // A name such as ":!x" is a name, not a pattern.
    const args = ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', ...options, commit, '--', ...some]
    const listed = await askRepository(top, args, { cwd: top })
    if (listed.status !== 0)
      throw new DeliveryError('refused', gitFailed(`Git cannot read the commit ${commit}`, listed))
    for (const line of partsOf(listed)) {
      const [, mode = '', kind = '', id = '', path = ''] = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s.exec(line) ?? []
      found.push({ path, kind, mode, id })
    }
  }
  return found
}

function inPieces(words: readonly string[], most: number): readonly (readonly string[])[] {
  const pieces: string[][] = []
  let size = most
  for (const word of words) {
    if (size + word.length > most) {
      pieces.push([])
      size = 0
    }
    pieces.at(-1)?.push(word)
    size += word.length + 1
  }
  return pieces
}

/** The contents of these objects. One that is missing has no entry. */
export async function readObjects(top: string, ids: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>()
  if (ids.length === 0) return found
  const { stdout } = await askRepository(top, ['cat-file', '--batch'], { cwd: top, input: `${ids.join('\n')}\n` })
  for (let at = 0; at < stdout.length; ) {
    const end = stdout.indexOf('\n', at)
    const [id = '', , size] = stdout.subarray(at, end).toString().split(' ')
    at = end + 1
    if (size === undefined) continue
    found.set(id, stdout.subarray(at, at + Number(size)))
    at += Number(size) + 1
  }
  return found
}
