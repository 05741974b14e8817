import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  type Stats,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { BaseNode } from '#core/ports/base-tree.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { bytesOf, type Change, rootMark } from './overlay-operations.testkit.ts'
import { markRoot, type Snapshot, sorted, words } from './tree-snapshot.testkit.ts'

/** Makes the same change to a real folder with system calls alone. Only for changes that a tree has accepted. */
export function changeFolder(place: string, operation: Change, before: Uint8Array | undefined): void {
  switch (operation.do) {
    case 'write':
      writeReal(resolveReal(place, operation.path, true), bytesOf(operation.content))
      return
    case 'edit': {
      const location = resolveReal(place, operation.path, true)
      writeReal(location, Buffer.concat([readFileSync(location), bytesOf(operation.content)]))
      return
    }
    case 'restore':
      if (before) writeReal(resolveReal(place, operation.path, true), before, 0o644)
      return
    case 'delete':
      rmSync(resolveReal(place, operation.path, false), { recursive: true })
      return
    case 'recreate':
      rmSync(resolveReal(place, operation.path, false), { recursive: true })
      writeReal(resolveReal(place, `${operation.path}/a`, true), bytesOf(operation.content))
      return
    case 'move':
      moveReal(resolveReal(place, operation.from, false), resolveReal(place, operation.to, false))
      return
    case 'mode':
      chmodSync(resolveReal(place, operation.path, true), operation.executable ? 0o755 : 0o644)
      return
    case 'link':
      linkReal(resolveReal(place, operation.path, false), operation.target.replace(rootMark, place))
      return
    case 'folder':
      mkdirSync(resolveReal(place, operation.path, true), { recursive: true })
  }
}

/** Where a path leads, even when nothing is there yet. The system does not make folders behind a dangling link. */
function resolveReal(place: string, path: string, followLast: boolean): string {
  const waiting = path.split('/').filter(Boolean).reverse()
  let current = place
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const next = name === '..' ? dirname(current) : join(current, name)
    const isLink = lstatSync(next, { throwIfNoEntry: false })?.isSymbolicLink() === true
    if (!isLink || (waiting.length === 0 && !followLast)) {
      current = next
      continue
    }
    const target = readlinkSync(next)
    if (target.startsWith('/')) current = '/'
    waiting.push(...target.split('/').filter(Boolean).reverse())
  }
  return current
}

function writeReal(location: string, bytes: Uint8Array, mode?: number): void {
  mkdirSync(dirname(location), { recursive: true })
  writeFileSync(location, bytes)
  if (mode !== undefined) chmodSync(location, mode)
}

function moveReal(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true })
  renameSync(from, to)
}

function linkReal(location: string, target: string): void {
  mkdirSync(dirname(location), { recursive: true })
  rmSync(location, { force: true })
  symlinkSync(target, location)
}

export function snapshotFolder(place: string): Snapshot {
  const seen = new Map<string, string>([['unreadable', '0']])
  const look = (folder: string): void => {
    for (const name of readdirSync(place + folder)) {
      const path = `${folder}/${name}`
      const stats = lstatSync(place + path)
      if (stats.isSymbolicLink()) seen.set(path, `-> ${markRoot(readlinkSync(place + path), place)}`)
      else if (stats.isDirectory()) seen.set(path, 'directory')
      else seen.set(path, words(fileNode(stats), readFileSync(place + path), place))
      if (stats.isDirectory()) look(path)
    }
  }
  look('')
  return sorted(seen)
}

function fileNode({ size, mode }: Stats): BaseNode {
  return { kind: 'file', size, modified: 0, executable: (mode & 0o100) !== 0 }
}

export function fileIn(place: string, path: VirtualPath): Uint8Array | undefined {
  return existsSync(place + path) && lstatSync(place + path).isFile() ? readFileSync(place + path) : undefined
}
