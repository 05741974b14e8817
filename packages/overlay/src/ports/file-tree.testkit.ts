import { byCodeUnit } from '../model/code-unit-order.ts'
import { isWithin, joinPath, nameOf, parentOf, rootPath, type VirtualPath } from '../model/virtual-path.ts'
import { type BaseNode, BaseTreeError } from './base-tree.ts'
import { FileTreeError, type WritableTree } from './file-tree.ts'

type Stored =
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly executable: boolean }
  | { readonly kind: 'symlink'; readonly target: string }
  | { readonly kind: 'directory' }

/**
 * A plain map of paths: the simplest tree of files, to compare others with. Absolute links lead into it when they start
 * with `place`.
 */
export function createMemoryTree(place = '/nowhere'): WritableTree {
  const stored = new Map<VirtualPath, Stored>([[rootPath, { kind: 'directory' }]])

  function resolve(path: VirtualPath, followLast: boolean): VirtualPath {
    const waiting = components(path).reverse()
    let current: VirtualPath = rootPath
    let links = 0
    for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
      if (name === '..' && current === rootPath) throw leavesRoot(path)
      const next = name === '..' ? parentOf(current) : joinPath(current, name)
      const node = stored.get(next)
      if (node?.kind === 'symlink' && (waiting.length > 0 || followLast)) {
        links += 1
        if (links > 40) throw new BaseTreeError('link_loop', path, `${path} goes through a loop of links.`)
        const isAbsolute = node.target.startsWith('/')
        if (isAbsolute && !`${node.target}/`.startsWith(`${place}/`)) throw leavesRoot(path)
        if (isAbsolute) current = rootPath
        waiting.push(...components(isAbsolute ? node.target.slice(place.length) : node.target).reverse())
        continue
      }
      if (node && node.kind !== 'directory' && waiting.length > 0 && !waiting.includes('..')) {
        throw new FileTreeError('not_a_directory', path, `${next} is a file.`)
      }
      current = next
    }
    return current
  }

  const find = (path: VirtualPath, followLast: boolean): VirtualPath | undefined => {
    try {
      return resolve(path, followLast)
    } catch (error) {
      if (error instanceof FileTreeError) return undefined
      throw error
    }
  }

  function makeFolders(folder: VirtualPath): void {
    if (!stored.has(folder)) {
      makeFolders(parentOf(folder))
      stored.set(folder, { kind: 'directory' })
    }
  }

  function put(path: VirtualPath, node: Stored): void {
    makeFolders(parentOf(path))
    stored.set(path, node)
  }

  const within = (path: VirtualPath) => [...stored].filter(([known]) => isWithin(known, path))
  const refuseFolder = (path: VirtualPath, real: VirtualPath): void => {
    if (stored.get(real)?.kind === 'directory') throw new FileTreeError('is_a_directory', path, `${path} is a folder.`)
  }
  const existing = (path: VirtualPath): VirtualPath => {
    if (path === rootPath) throw new FileTreeError('root', path, 'Not the root.')
    const real = resolve(path, false)
    if (!stored.has(real)) throw new FileTreeError('not_found', path, `There is nothing at ${path}.`)
    return real
  }

  return {
    async stat(path) {
      const real = find(path, false)
      return real === undefined ? undefined : toNode(stored.get(real))
    },
    async list(path) {
      const real = find(path, true)
      if (real === undefined || stored.get(real)?.kind !== 'directory') return undefined
      const entries = [...stored].flatMap(([known, content]) => {
        const node = known !== rootPath && parentOf(known) === real ? toNode(content) : undefined
        return node ? [{ name: nameOf(known), node }] : []
      })
      return { entries: entries.sort((a, b) => byCodeUnit(a.name, b.name)), unreadable: 0 }
    },
    async read(path, range) {
      const real = find(path, true)
      const node = real === undefined ? undefined : stored.get(real)
      if (!node) throw new BaseTreeError('not_found', path, `There is no file at ${path}.`)
      if (node.kind !== 'file') throw new BaseTreeError('not_a_file', path, `${path} is not a file.`)
      return range ? node.bytes.slice(range.offset, range.offset + range.length) : node.bytes.slice()
    },
    async write(path, bytes, options) {
      const real = resolve(path, true)
      refuseFolder(path, real)
      const earlier = stored.get(real)
      const executable = options?.executable ?? (earlier?.kind === 'file' && earlier.executable)
      put(real, { kind: 'file', bytes: bytes.slice(), executable })
      return earlier ? 'replaced' : 'created'
    },
    async makeDirectory(path) {
      const real = resolve(path, true)
      const kind = stored.get(real)?.kind
      if (kind && kind !== 'directory') throw new FileTreeError('already_exists', path, `${path} exists.`)
      makeFolders(real)
    },
    async makeSymlink(path, target) {
      const real = resolve(path, false)
      refuseFolder(path, real)
      put(real, { kind: 'symlink', target })
    },
    async setExecutable(path, executable) {
      const real = resolve(path, true)
      const node = stored.get(real)
      if (!node) throw new FileTreeError('not_found', path, `There is nothing at ${path}.`)
      if (node.kind !== 'file') throw new FileTreeError('is_a_directory', path, `${path} is not a file.`)
      stored.set(real, { ...node, executable })
    },
    async delete(path) {
      const gone = within(existing(path))
      for (const [known] of gone) stored.delete(known)
      const folders = gone.filter(([, { kind }]) => kind === 'directory').length
      return { files: gone.length - folders, folders }
    },
    async move(from, to) {
      const source = existing(from)
      const goal = resolve(to, false)
      if (goal === rootPath) throw new FileTreeError('root', to, 'Not the root.')
      if (source === goal) return
      if (isWithin(goal, source)) throw new FileTreeError('into_itself', to, `${to} is inside ${from}.`)
      const [here, there] = [stored.get(source), stored.get(goal)]
      if (there && (there.kind === 'directory' || here?.kind === 'directory')) {
        throw new FileTreeError('already_exists', to, `${to} exists.`)
      }
      const moved = within(source)
      for (const [known] of moved) stored.delete(known)
      for (const [known, node] of moved) put(`${goal}${known.slice(source.length)}` as VirtualPath, node)
    },
  }
}

function toNode(node: Stored | undefined): BaseNode | undefined {
  if (node?.kind !== 'file') return node && { ...node, modified: 0 }
  return { kind: 'file', size: node.bytes.length, executable: node.executable, modified: 0 }
}

function components(path: string): string[] {
  return path.split('/').filter((name) => name !== '' && name !== '.')
}

function leavesRoot(path: VirtualPath): BaseTreeError {
  return new BaseTreeError('link_leaves_root', path, `A link on the way to ${path} leaves the root.`)
}
