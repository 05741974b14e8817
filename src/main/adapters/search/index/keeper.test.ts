import { expect, it } from 'vitest'
import { openSearchRoot } from '../search-folder.ts'
import { makeWorld } from './index-world.testkit.ts'
import { createIndexKeeper } from './keeper.ts'
import type { IndexState } from './messages.ts'

it.runIf(process.platform === 'linux')(
  'tells no names before it knows them, and none that it no longer watches',
  async () => {
    using world = makeWorld({ '/file.ts': '' })
    const keeper = createIndexKeeper({
      ...{ folder: world.kept, rootFolder: world.root, hidden: null, restMs: 1, settlingMs: 0 },
      root: openSearchRoot(world.root),
      listWithEngine: async () => 'other files',
    })
    const find = (text: string) => keeper.answer({ kind: 'find', text, limit: 5 })
    expect(await find('file')).toBeNull()
    await expect.poll(async () => ((await keeper.answer({ kind: 'state' })) as IndexState).refused).not.toBeNull()
    world.write('/new-file.ts', '')
    expect(await find('file')).toBeNull()
  },
)
