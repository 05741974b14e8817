import { describe, expect, it } from 'vitest'
import { eventually } from '#core/ports/eventually.testkit.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Watcher } from './watcher.ts'

/** A folder on disk, and a watcher of it. Paths are those of the project. */
export interface WatcherUnderTest extends Disposable {
  readonly watcher: Watcher
  /** Writes in place, or makes the file and the folders above it. */
  write(path: string, text: string): void
  rename(from: string, to: string): void
  /** Deletes a file, or a folder with everything in it. */
  remove(path: string): void
  makeFolder(path: string): void
  makeLink(path: string, target: string): void
}

type Act = (world: WatcherUnderTest, path: string) => void

const saves: readonly (readonly [how: string, save: Act])[] = [
  ['written in place', (world, path) => world.write(path, 'new text')],
  [
    'written beside it and renamed over it',
    (world, path) => {
      world.write(`${path}.swap`, 'new')
      world.rename(`${path}.swap`, path)
    },
  ],
  [
    'renamed away as a backup and written again',
    (world, path) => {
      world.rename(path, `${path}~`)
      world.write(path, 'new')
      world.remove(`${path}~`)
    },
  ],
  [
    'deleted and made again',
    (world, path) => {
      world.remove(path)
      world.write(path, 'new')
    },
  ],
  [
    'replaced by a link',
    (world, path) => {
      world.remove(path)
      world.makeLink(path, 'elsewhere')
    },
  ],
  [
    'replaced by a folder',
    (world, path) => {
      world.remove(path)
      world.makeFolder(path)
    },
  ],
  ['deleted', (world, path) => world.remove(path)],
]

/** @param create makes these files before it starts the watcher */
export function describeWatcher(name: string, create: (paths: readonly string[]) => WatcherUnderTest): void {
  describe(`Watcher: ${name}`, () => {
    it.each(saves)('notices a file that is %s, and its next change too', async (_, save) => {
      using world = create(['/folder/a', '/folder/b'])
      const noticed = await watching(world, ['/folder/a'])
      await noticed('/folder/a', () => save(world, '/folder/a'))
      await noticed('/folder/a', () => {
        world.remove('/folder/a')
        world.write('/folder/a', 'once more')
      })
      await noticed('/folder/a', () => world.write('/folder/a', 'and in place again'))
    })

    it('notices a new file, and new folders above it', async () => {
      using world = create([])
      const noticed = await watching(world, ['/new/deep/file'])
      await noticed('/new/deep/file', () => world.write('/new/deep/file', '1'))
      await noticed('/new/deep/file', () => world.write('/new/deep/file', '22'))
    })

    it('notices a parent folder that is moved away and made again, and changes in the new one', async () => {
      using world = create(['/src/lib/a'])
      const noticed = await watching(world, ['/src/lib/a'])
      for (const [folder, aside] of [
        ['/src/lib', '/src/aside'],
        ['/src', '/aside'],
      ] as const) {
        await noticed('/src/lib/a', () => world.rename(folder, aside))
        await noticed('/src/lib/a', () => world.write('/src/lib/a', 'of the new folder'))
        await noticed('/src/lib/a', () => world.write('/src/lib/a', 'changed once more in it'))
      }
    })

    it('notices a folder that takes the place of another one', async () => {
      using world = create(['/src/lib/a', '/other/lib/a'])
      world.write('/other/lib/a', 'of another size')
      const noticed = await watching(world, ['/src/lib/a'])
      await noticed('/src/lib/a', () => {
        world.rename('/src', '/aside')
        world.rename('/other', '/src')
      })
      await noticed('/src/lib/a', () => world.write('/src/lib/a', 'changed in the new folder'))
      await noticed('/src/lib/a', () => world.remove('/src'))
    })

    it('announces only watched paths', async () => {
      using world = create(['/folder/a', '/folder/b'])
      const seen: string[] = []
      const noticed = await watching(world, ['/folder/a'])
      using _ = world.watcher.onChange((path) => seen.push(path))
      world.write('/folder/b', '22')
      world.write('/folder/c', '1')
      world.write('/c', '1')
      await noticed('/folder/a', () => world.write('/folder/a', '22'))
      expect(new Set(seen).difference(new Set(['/beacon-1']))).toEqual(new Set(['/folder/a']))
    })

    it('notices paths that it watches later, and each once more after it is watched twice', async () => {
      using world = create(['/folder/a', '/folder/b', '/far/c'])
      const noticedFirst = await watching(world, ['/folder/a'])
      const noticed = await watching(world, ['/folder/a', '/folder/b', '/far/c'])
      await noticed('/folder/b', () => world.write('/folder/b', '22'))
      await noticed('/far/c', () => world.rename('/far', '/farther'))
      await noticedFirst('/folder/a', () => world.write('/folder/a', '22'))
    })

    it('stops announcing to a listener that is disposed', async () => {
      using world = create(['/a', '/b'])
      const noticed = await watching(world, ['/a'])
      const seen: string[] = []
      world.watcher.onChange((path) => seen.push(path))[Symbol.dispose]()
      await noticed('/a', () => world.write('/a', '22'))
      expect(seen).toEqual([])
    })
  })
}

/**
 * Watches paths. Waits for the first change of another file, because a watcher that polls begins with its first look.
 * The result does something, and waits until the path is announced after it.
 */
async function watching({ watcher, write }: WatcherUnderTest, paths: readonly string[]) {
  const announced = async (path: string, look: () => void) => {
    let isSeen = false
    using _ = watcher.onChange((changed) => {
      isSeen ||= changed === path
    })
    await eventually(
      () => {
        look()
        expect(isSeen, path).toBe(true)
      },
      { interval: 5 },
    )
  }
  const beacon = `/beacon-${paths.length}`
  write(beacon, '')
  watcher.watch([...paths, beacon] as VirtualPath[])
  let writes = ''
  await announced(beacon, () => {
    writes += '.'
    write(beacon, writes)
  })
  return (path: string, act: () => void) => {
    let isDone = false
    return announced(path, () => {
      if (!isDone) act()
      isDone = true
    })
  }
}
