import fc from 'fast-check'
import type { WritableTree } from '#core/ports/file-tree.ts'
import { joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'

/** What the fuzz test does to a tree. It uses few names, so that operations collide. */
export type Operation =
  | { readonly do: 'write'; readonly path: VirtualPath; readonly content: string }
  | { readonly do: 'edit'; readonly path: VirtualPath; readonly content: string }
  /** Writes the base's content again, which undoes an edit. */
  | { readonly do: 'restore'; readonly path: VirtualPath }
  | { readonly do: 'delete'; readonly path: VirtualPath }
  /** Deletes a folder and makes it again with one file in it. */
  | { readonly do: 'recreate'; readonly path: VirtualPath; readonly content: string }
  | { readonly do: 'move'; readonly from: VirtualPath; readonly to: VirtualPath }
  | { readonly do: 'mode'; readonly path: VirtualPath; readonly executable: boolean }
  | { readonly do: 'link'; readonly path: VirtualPath; readonly target: string }
  | { readonly do: 'folder'; readonly path: VirtualPath }
  | { readonly do: 'fork' }

export type Change = Exclude<Operation, { do: 'fork' }>

/** Stands for the folder that holds the tree, at the start of an absolute link. */
export const rootMark = '/ROOT'

const names = fc.constantFrom('a', 'A', 'b', 'c', 'd.ts')
const paths = fc
  .array(names, { minLength: 1, maxLength: 3 })
  .map((components) => components.reduce<VirtualPath>(joinPath, rootPath))
const ignoreFiles = fc.constantFrom('/.gitignore', '/a/.gitignore', '/b/a/.gitignore') as fc.Arbitrary<VirtualPath>
const contents = fc.constantFrom('', 'x', 'needle', 'x\r\nneedle\n', 'needle\0', 'x\nx')
const rules = fc.constantFrom('a\n', '/b/\n*.ts\n', '*\n!c\n!d.ts\n', 'a/c\n', '!a\n', '# nothing\n', '')
const targets = fc.constantFrom(
  'a',
  './c',
  '../b',
  'c/d.ts',
  '../../../x',
  '/etc',
  rootMark,
  `${rootMark}/a`,
  `${rootMark}/b/../c`,
  `${rootMark}-beside`,
)

/** A counterexample shrinks to the operations it needs, and to forks, which change nothing. */
export const operation: fc.Arbitrary<Operation> = fc.oneof(
  { withCrossShrink: true },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('fork') }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('write'), path: paths, content: contents }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('write'), path: ignoreFiles, content: rules }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('edit'), path: paths, content: contents }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant('restore'), path: paths }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('delete'), path: fc.oneof(paths, ignoreFiles) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('recreate'), path: paths, content: contents }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('move'), from: paths, to: paths }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('mode'), path: paths, executable: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('link'), path: paths, target: targets }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('folder'), path: paths }) },
)

/** Makes the tree that a run begins with. Operations that fail are skipped. */
export const beginning: fc.Arbitrary<readonly Operation[]> = fc.array(
  operation.filter(({ do: kind }) => kind !== 'delete' && kind !== 'fork' && kind !== 'restore'),
  { maxLength: 12, size: 'max' },
)

/** A range that holds all of a file, even of one that is too large to be read without a range. */
const all = { offset: 0, length: 1_000_000 }

/** The bytes of a text whose characters are all below 256. */
export const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')

/**
 * Does the operation on a tree. Absolute links start with the folder that holds the tree. `before` is the base's file,
 * if any.
 */
export async function operate(
  tree: WritableTree,
  operation: Change,
  place: string,
  before: Uint8Array | undefined,
): Promise<unknown> {
  switch (operation.do) {
    case 'write':
      return tree.write(operation.path, bytesOf(operation.content))
    case 'edit':
      return tree.write(
        operation.path,
        Buffer.concat([await tree.read(operation.path, all), bytesOf(operation.content)]),
      )
    case 'restore':
      return before && tree.write(operation.path, before, { executable: false })
    case 'delete':
      return tree.delete(operation.path)
    case 'recreate':
      return [
        await tree.delete(operation.path),
        await tree.write(joinPath(operation.path, 'a'), bytesOf(operation.content)),
      ]
    case 'move':
      return tree.move(operation.from, operation.to)
    case 'mode':
      return tree.setExecutable(operation.path, operation.executable)
    case 'link':
      return tree.makeSymlink(operation.path, operation.target.replace(rootMark, place))
    case 'folder':
      return tree.makeDirectory(operation.path)
  }
}
