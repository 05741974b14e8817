import { describeFileTree } from '../ports/file-tree.contract.ts'
import { createMemoryTree } from '../ports/file-tree.testkit.ts'
import { at, bytes, openWorld } from './tree-fixtures.testkit.ts'

const write = async (
  tree: { write(path: never, bytes: Uint8Array): Promise<unknown> },
  files: Record<string, string>,
) => {
  for (const [path, content] of Object.entries(files)) await tree.write(at(path) as never, bytes(content))
}

describeFileTree('in memory', async (files) => {
  const tree = createMemoryTree()
  await write(tree, files)
  return tree
})
describeFileTree('overlay over files of the base', async (files) => openWorld(files).draft())
describeFileTree('overlay that made the files', async (files) => {
  const draft = openWorld().draft()
  await write(draft, files)
  return draft
})
describeFileTree('forked overlay, half base and half overlay', async (files) => {
  const [first, ...rest] = Object.entries(files)
  const world = openWorld(Object.fromEntries(first ? [first] : []))
  const tree = await world.change(world.draft().tree, (draft) => write(draft, Object.fromEntries(rest)))
  return world.draft(tree)
})
