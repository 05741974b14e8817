import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { repeats } from '#core/ports/test-size.testkit.ts'
import { type IndexWorld, makeWorld, openRun, untilReady } from './index-world.testkit.ts'

/** Elsewhere there is no index. */
const onLinux = it.runIf(process.platform === 'linux')

const files = Object.fromEntries(
  Array.from({ length: 300 }, (_, file) => [
    `/part-${file % 20}/file-${file}.ts`,
    `export const word_${file} = 'needle ${file};'\n`,
  ]),
)
const [needle, wanted] = ['needle 123;', '/part-3/file-123.ts']

/** Makes the index and leaves it as after a run. */
async function keepIndex(world: IndexWorld): Promise<void> {
  await using run = openRun(world)
  await untilReady(run.index)
  await expect.poll(() => existsSync(join(world.kept, 'catalogue'))).toBe(true)
}

function segmentOf({ kept }: IndexWorld): string {
  return join(kept, readdirSync(kept).find((name) => name.startsWith('segment-')) ?? 'none')
}

describe('the index of an earlier run', () => {
  onLinux('finds names at once, is used again without reading the files, and only its owner may read it', async () => {
    using world = makeWorld(files)
    await keepIndex(world)
    const before = statSync(segmentOf(world)).ino
    expect(statSync(world.kept).mode & 0o777).toBe(0o700)
    expect(statSync(segmentOf(world)).mode & 0o777).toBe(0o600)
    await using run = openRun(world)
    expect((await run.index.find('file-123', 5))?.paths.at(0)).toBe(wanted)
    await untilReady(run.index)
    expect(await run.grep(needle)).toEqual([wanted])
    expect(statSync(segmentOf(world)).ino).toBe(before)
  })

  onLinux('finds names in a repository inside the project, and new ones', async () => {
    using world = makeWorld({ ...files, '/library/.git/HEAD': '', '/library/deep/inner.ts': '' })
    await keepIndex(world)
    await using run = openRun(world)
    expect(await run.find('inner')).toEqual(['/library/deep/inner.ts'])
    await untilReady(run.index)
    world.write('/library/inner.ts', '')
    expect(await run.find('inner')).toEqual(['/library/inner.ts', '/library/deep/inner.ts'])
  })

  // Notices a digest without the time of the last change of a node.
  onLinux('does not hide what changed meanwhile, even with the size and the time of before', async () => {
    using world = makeWorld(files)
    const place = join(world.root, '/part-4/file-4.ts')
    const [{ size }, time] = [statSync(place), 1_700_000_000]
    utimesSync(place, time, time)
    await keepIndex(world)
    writeFileSync(place, needle.padEnd(size, ' '))
    utimesSync(place, time, time)
    rmSync(join(world.root, wanted))
    world.write('/part-5/new.ts', needle)
    world.write('/new/deep/new.ts', needle)
    await using run = openRun(world)
    const now = ['/new/deep/new.ts', '/part-4/file-4.ts', '/part-5/new.ts']
    expect(await run.grep(needle)).toEqual(now)
    await untilReady(run.index)
    expect(await run.grep(needle)).toEqual(now)
    expect((await run.index.find('new.ts', 5))?.paths).toEqual(['/part-5/new.ts', '/new/deep/new.ts'])
  })
})

describe('a damaged index is made again, and hides nothing', () => {
  const change = (file: string, act: (bytes: Buffer) => void) => {
    const bytes = readFileSync(file)
    act(bytes)
    writeFileSync(file, bytes)
  }
  // The first notices an opening that does not compare sums: no file would match.
  const damages: Readonly<Record<string, (world: IndexWorld) => void>> = {
    'zeros in place of signatures': (world) => change(segmentOf(world), (bytes) => void bytes.fill(0)),
    'a bit flipped in a segment': (world) => change(segmentOf(world), (bytes) => flip(bytes, bytes.length >> 1)),
    'a bit flipped at the end of a segment': (world) =>
      change(segmentOf(world), (bytes) => flip(bytes, bytes.length - 1)),
    'a cut segment': (world) => truncateSync(segmentOf(world), statSync(segmentOf(world)).size - 1),
    'a longer segment': (world) => appendFileSync(segmentOf(world), 'x'),
    'no segment': (world) => rmSync(segmentOf(world)),
    'a folder in place of a segment': (world) => {
      const place = segmentOf(world)
      rmSync(place)
      mkdirSync(place)
    },
    'a bit flipped in the catalogue': ({ kept }) =>
      change(join(kept, 'catalogue'), (bytes) => flip(bytes, bytes.length - 9)),
    'a bit flipped in its first line': ({ kept }) => change(join(kept, 'catalogue'), (bytes) => flip(bytes, 20)),
    'a cut catalogue': ({ kept }) => truncateSync(join(kept, 'catalogue'), 500),
    'an empty catalogue': ({ kept }) => truncateSync(join(kept, 'catalogue'), 0),
    'an older format': ({ kept }) =>
      change(join(kept, 'catalogue'), (bytes) => void bytes.write('0', 'coppice-index '.length)),
    'a newer format': ({ kept }) =>
      change(join(kept, 'catalogue'), (bytes) => void bytes.write('9', 'coppice-index '.length)),
    'the unfinished files of a crash': ({ kept }) => {
      writeFileSync(join(kept, 'catalogue.new'), 'half')
      writeFileSync(join(kept, 'segment-77'), 'half')
    },
  }
  onLinux.each(Object.entries(damages))('%s', async (_, damage) => {
    using world = makeWorld(files)
    await keepIndex(world)
    damage(world)
    await using run = openRun(world)
    expect(await run.grep(needle)).toEqual([wanted])
    await untilReady(run.index)
    expect((await run.index.state())?.ready).toBe(true)
    expect(await run.grep(needle)).toEqual([wanted])
    expect(readdirSync(world.kept)).not.toContain('segment-77')
  })
})

function flip(bytes: Buffer, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ 4
}

const kills = repeats(5, 200)

onLinux(`hides nothing after ${kills} kills while it is made`, async () => {
  using world = makeWorld(files)
  const killable = join(import.meta.dirname, 'killed-index.testkit.ts')
  for (let count = 0; count < kills; count += 1) {
    const child = spawn(process.execPath, [killable, world.root, world.kept], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    await setTimeout((count * 37) % 400)
    child.kill('SIGKILL')
    await once(child, 'close')
    world.write(`/part-${count % 20}/after-${count}.ts`, needle)
    await using run = openRun(world)
    const all = [
      wanted,
      ...Array.from({ length: count + 1 }, (_, kill) => `/part-${kill % 20}/after-${kill}.ts`),
    ].sort()
    expect(await run.grep(needle)).toEqual(all)
    await untilReady(run.index)
    expect(await run.grep(needle)).toEqual(all)
  }
})
