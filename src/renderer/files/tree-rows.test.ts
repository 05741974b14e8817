import { describe, expect, it } from 'vitest'
import type { FileEntry, FilePage } from '#shared/contract/views/files.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { Loaded } from '../state/connection/query-cache.ts'
import { stepAfterKey, type TreeRow, treeRows } from './tree-rows.ts'

const at = (path: string) => path as VirtualPath

function entry(path: string, kind: FileEntry['kind'] = 'file'): FileEntry {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return { name, path: at(path), kind, size: 0, modified: 0, change: null, changedBelow: false }
}

function page(entries: readonly FileEntry[], unreadable = 0): Loaded<FilePage> {
  return { state: 'ready', value: { entries, unreadable } }
}

const refusal = { code: 'NOT_FOUND', message: 'Gone', nextStep: '' } as const
const folders = new Map<VirtualPath, Loaded<FilePage>>([
  [rootPath, page([entry('/docs', 'directory'), entry('/src', 'directory'), entry('/a.md')], 2)],
  [at('/docs'), page([])],
  [at('/src'), page([entry('/src/deep', 'directory'), entry('/src/b.ts')])],
  [at('/src/deep'), { state: 'loading', value: null }],
])
const rows = treeRows(folders, new Set([at('/docs'), at('/src'), at('/src/deep')]))

function line(row: TreeRow): string {
  const text = row.kind === 'entry' ? `${row.entry.path} ${row.position}/${row.siblings}` : row.note.kind
  return `${row.level} ${text}`
}

describe('the rows of the file tree', () => {
  it('list the content of open folders, each row with its position', () => {
    expect(rows.map(line)).toEqual([
      '1 /docs 1/3',
      '2 empty',
      '1 /src 2/3',
      '2 /src/deep 1/2',
      '3 loading',
      '2 /src/b.ts 2/2',
      '1 /a.md 3/3',
      '1 unreadable',
    ])
  })

  it('leave out the content of closed folders', () => {
    expect(treeRows(folders, new Set([at('/src/deep')])).map(line)).toEqual([
      '1 /docs 1/3',
      '1 /src 2/3',
      '1 /a.md 3/3',
      '1 unreadable',
    ])
  })

  it('stay while a folder is read again, and say why it cannot be read', () => {
    const again = new Map(folders).set(at('/src'), { state: 'loading', value: page([entry('/src/b.ts')]).value })
    expect(treeRows(again, new Set([at('/src')])).map(line)).toContain('2 /src/b.ts 1/1')
    const failed = new Map(folders).set(at('/src'), { state: 'failed', value: null, refusal })
    expect(treeRows(failed, new Set([at('/src')])).map(line)).toContain('2 failed')
  })
})

describe('a key in the file tree', () => {
  const step = (key: string, from: string): string | null => {
    const index = rows.findIndex((row) => row.key === from)
    const found = stepAfterKey(key, index, rows)
    return found && (found.kind === 'go' ? `go ${rows[found.index]?.key}` : `toggle ${found.path}`)
  }

  it('moves from entry to entry and skips notes', () => {
    expect([step('ArrowDown', '/docs'), step('ArrowUp', '/src')]).toEqual(['go /src', 'go /docs'])
    expect([step('Home', '/a.md'), step('End', '/docs')]).toEqual(['go /docs', 'go /a.md'])
    expect([step('ArrowUp', '/docs'), step('ArrowDown', '/a.md')]).toEqual([null, null])
  })

  it('opens and closes folders, and moves into and out of them', () => {
    expect([step('ArrowLeft', '/src'), step('ArrowRight', '/src')]).toEqual(['toggle /src', 'go /src/deep'])
    expect([step('ArrowLeft', '/src/b.ts'), step('ArrowRight', '/src/b.ts')]).toEqual(['go /src', null])
    expect([step('ArrowRight', '/docs'), step('ArrowRight', '/src/deep')]).toEqual([null, null])
    const closed = treeRows(folders, new Set())
    expect(stepAfterKey('ArrowRight', 1, closed)).toEqual({ kind: 'toggle', path: '/src' })
    expect(stepAfterKey('ArrowLeft', 1, closed)).toBeNull()
  })

  it('does nothing if it is a letter', () => {
    expect(step('x', '/src')).toBeNull()
  })
})
