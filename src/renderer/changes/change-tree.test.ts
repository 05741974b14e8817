import { describe, expect, it } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { changeRows, filesInOrder, selectionOf, toggleAll, treeMove } from './change-tree.ts'

const at = (path: string) => path as VirtualPath
const changeOf = (path: string): FileChange => ({
  path: at(path),
  kind: 'modify',
  size: 1,
  added: 1,
  removed: 0,
  binary: false,
})
const changes = ['/z.md', '/src/deep/only/b.ts', '/src/deep/only/a.ts', '/src/main.ts', '/a.md'].map(changeOf)
const closed = (...paths: string[]) => new Set(paths.map(at))
const rows = changeRows(changes, closed())
const printRows = (list: ReturnType<typeof changeRows>) =>
  list.map(({ level, name }) => `${'  '.repeat(level - 1)}${name}`)

describe('the tree of changes', () => {
  it('shows folders first, and a chain of single folders as one', () => {
    expect(printRows(rows)).toEqual(['src', '  deep/only', '    a.ts', '    b.ts', '  main.ts', 'a.md', 'z.md'])
  })

  it('leaves out the content of a closed folder, which still counts its files', () => {
    const some = changeRows(changes, closed('/src/deep/only'))
    expect(printRows(some)).toEqual(['src', '  deep/only', '  main.ts', 'a.md', 'z.md'])
    expect(some[1]).toMatchObject({ open: false, files: ['/src/deep/only/a.ts', '/src/deep/only/b.ts'] })
  })

  // Mutation: follow a chain of folders past a repository, or let one begin open.
  it('shows a repository as one row that opens, at its own path', () => {
    const made = ['/a/lib/src/in/x.c', '/a/lib/src/in/y.c', '/b.md'].map(changeOf)
    const repositories = [at('/a/lib'), at('/elsewhere')]
    const shut = changeRows(made, closed(), repositories)
    expect(printRows(shut)).toEqual(['a/lib', 'b.md'])
    expect(shut[0]).toMatchObject({
      path: '/a/lib',
      open: false,
      isRepository: true,
      files: ['/a/lib/src/in/x.c', '/a/lib/src/in/y.c'],
    })
    expect(treeMove('ArrowRight', shut, 0)).toEqual({ kind: 'open', path: '/a/lib' })
    const opened = changeRows(made, closed('/a/lib'), repositories)
    expect(printRows(opened)).toEqual(['a/lib', '  src/in', '    x.c', '    y.c', 'b.md'])
    expect(opened[1]).toMatchObject({ path: '/a/lib/src/in', isRepository: false })
    const inner = changeRows(made, closed('/a/lib', '/a/lib/src'), [...repositories, at('/a/lib/src')])
    expect(printRows(inner), 'one in another').toEqual(['a/lib', '  src', '    in', '      x.c', '      y.c', 'b.md'])
  })

  it('lists the files in the order of the rows, and makes the list once', () => {
    const listed = filesInOrder(changes)
    expect(listed.map(({ path }) => path)).toEqual(rows.flatMap((row) => (row.kind === 'file' ? [row.path] : [])))
    expect(filesInOrder(changes)).toBe(listed)
    expect(changeRows(listed, closed())).toEqual(rows)
  })

  it('selects and deselects a whole folder', () => {
    const files = [at('/src/main.ts'), at('/a.md')]
    const one = toggleAll([at('/a.md')], new Set())
    expect(selectionOf(files, one)).toBe('some')
    expect(selectionOf(files, toggleAll(files, one))).toBe('all')
    expect(selectionOf(files, toggleAll(files, toggleAll(files, one)))).toBe('none')
  })

  it.each([
    ['ArrowDown', 0, { kind: 'focus', index: 1 }],
    ['ArrowUp', 0, null],
    ['End', 0, { kind: 'focus', index: 6 }],
    ['ArrowLeft', 0, { kind: 'close', path: '/src' }],
    ['ArrowLeft', 3, { kind: 'focus', index: 1 }],
    ['ArrowLeft', 6, null],
    ['ArrowRight', 1, { kind: 'focus', index: 2 }],
    ['ArrowRight', 2, null],
    [']', 0, { kind: 'focus', index: 2 }],
    [']', 6, null],
    ['[', 2, null],
    ['[', 4, { kind: 'focus', index: 3 }],
    [' ', 5, { kind: 'toggle', files: ['/a.md'] }],
    ['x', 0, null],
  ])('%s on row %i', (key, index, move) => expect(treeMove(key, rows, index)).toEqual(move))
})
