import { byCodeUnit } from '#shared/base/code-unit-order.ts'

/** One node on the machine. `special` stands for pipes, sockets and devices. */
export type MachineNode =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory' }
  | { readonly kind: 'special' }

/**
 * The disk of a machine in memory, for mounts, commands and Python. Paths are absolute and belong to the machine, not
 * to a project. Links are followed everywhere, even out of a project, as by an operating system. It has no permissions,
 * owners, times or hard links.
 */
export interface Machine {
  /** The node at the path, without following a link there; undefined when nothing is there. */
  look(path: string): MachineNode | undefined
  /** The same, following a link at the path. */
  follow(path: string): MachineNode | undefined
  read(path: string): Uint8Array
  /** Creates or replaces a file and keeps the mode of a replaced one. Its folder must exist. */
  write(path: string, bytes: Uint8Array, executable?: boolean): void
  /** Puts any node at the path, replacing what is there. Missing folders above it are made. */
  put(path: string, node: MachineNode): void
  makeFolder(path: string): void
  /** Removes everything at and below the path. Does nothing when it is missing. */
  remove(path: string): void
  /** Sorted names in a folder. Throws when there is no folder. */
  names(folder: string): readonly string[]
  /** Everything below a folder by its relative path, folders before their content. Links are not followed. */
  below(folder: string): readonly (readonly [string, MachineNode])[]
}

/** A system error about a path, in the system's words. */
export class MachineError extends Error {
  constructor(
    path: string,
    problem: 'No such file or directory' | 'Is a directory' | 'Not a directory' | 'File exists',
  ) {
    super(`${path}: ${problem}`)
    this.name = 'MachineError'
  }
}

const mostLinks = 40

export function createMachine(): Machine {
  const nodes = new Map<string, MachineNode>([['/', { kind: 'directory' }]])

  function resolve(path: string, followLast: boolean): string {
    const waiting = namesIn(path).reverse()
    let current = '/'
    let links = 0
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === '..') {
        current = folderOf(current)
        continue
      }
      const next = join(current, name)
      const node = nodes.get(next)
      if (node?.kind === 'symlink' && (waiting.length > 0 || followLast)) {
        links += 1
        if (links > mostLinks) throw new MachineError(path, 'No such file or directory')
        if (node.target.startsWith('/')) current = '/'
        waiting.push(...namesIn(node.target).reverse())
        continue
      }
      if (waiting.length > 0 && !node) throw new MachineError(path, 'No such file or directory')
      if (waiting.length > 0 && node?.kind !== 'directory') throw new MachineError(path, 'Not a directory')
      current = next
    }
    return current
  }

  const placeOf = (path: string, followLast: boolean): string | undefined => {
    try {
      return resolve(path, followLast)
    } catch (error) {
      if (error instanceof MachineError) return undefined
      throw error
    }
  }
  const find = (path: string, followLast: boolean): MachineNode | undefined =>
    nodes.get(placeOf(path, followLast) ?? '')

  function write(path: string, bytes: Uint8Array, executable?: boolean): void {
    const place = resolve(path, true)
    const earlier = nodes.get(place)
    if (earlier?.kind === 'directory') throw new MachineError(path, 'Is a directory')
    if (nodes.get(folderOf(place))?.kind !== 'directory') throw new MachineError(path, 'No such file or directory')
    const mode = executable ?? (earlier?.kind === 'file' && earlier.executable)
    nodes.set(place, { kind: 'file', bytes: bytes.slice(), executable: mode })
  }

  const within = (path: string) => [...nodes.keys()].filter((known) => known === path || known.startsWith(`${path}/`))

  return {
    look: (path) => find(path, false),
    follow: (path) => find(path, true),
    read(path) {
      const node = find(path, true)
      if (node?.kind === 'directory') throw new MachineError(path, 'Is a directory')
      if (node?.kind !== 'file') throw new MachineError(path, 'No such file or directory')
      return node.bytes.slice()
    },
    write,
    put(path, node) {
      const missing: string[] = []
      for (let above = folderOf(path); nodes.get(above)?.kind !== 'directory'; above = folderOf(above))
        missing.push(above)
      for (const folder of missing.reverse()) nodes.set(folder, { kind: 'directory' })
      if (node.kind !== 'directory') for (const known of within(path)) nodes.delete(known)
      nodes.set(path, node)
    },
    makeFolder(path) {
      const place = resolve(path, true)
      if (nodes.has(place)) throw new MachineError(path, 'File exists')
      nodes.set(place, { kind: 'directory' })
    },
    remove(path) {
      const place = placeOf(path, false)
      if (place !== undefined) for (const known of within(place)) nodes.delete(known)
    },
    names(folder) {
      const place = resolve(folder, true)
      if (nodes.get(place)?.kind !== 'directory') throw new MachineError(folder, 'Not a directory')
      const own = [...nodes.keys()].filter((known) => known !== '/' && folderOf(known) === place)
      return own.map((known) => known.slice(place === '/' ? 1 : place.length + 1)).sort(byCodeUnit)
    },
    below(folder) {
      const start = folder === '/' ? '/' : `${folder}/`
      return [...nodes]
        .filter(([known]) => known !== folder && known.startsWith(start))
        .map(([known, node]) => [`/${known.slice(start.length)}`, node] as const)
        .sort(([a], [b]) => byCodeUnit(a, b))
    },
  }
}

/** A path relative to a working folder. Absolute paths stay unchanged. */
export function join(folder: string, path: string): string {
  if (path.startsWith('/')) return path
  return folder === '/' ? `/${path}` : `${folder}/${path}`
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0)) || '/'
}

export function lastName(path: string): string {
  return namesIn(path).at(-1) ?? ''
}

function namesIn(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}
