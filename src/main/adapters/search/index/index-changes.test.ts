import { appendFileSync, linkSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { makeWorld, openRun, untilReady } from './index-world.testkit.ts'

/** Elsewhere there is no index. */
const onLinux = it.runIf(process.platform === 'linux')

const files = {
  '/.gitignore': 'ignored/\n*.log\n',
  '/a/one.ts': 'nothing',
  '/a/two.ts': 'the needle',
  '/a/deep/three.ts': 'the needle',
  '/b/four.log': 'the needle',
  '/ignored/five.ts': 'the needle',
  '/c/six.ts': 'nothing',
}
const before = ['/a/deep/three.ts', '/a/two.ts']

/** A change of a complete index, and what a search right after it finds. Each notices that its change is not taken in. */
const changes: Readonly<Record<string, readonly [(at: (path: string) => string) => void, readonly string[]]>> = {
  'a file written in place': [
    (at) => appendFileSync(at('/a/one.ts'), ' needle'),
    ['/a/deep/three.ts', '/a/one.ts', '/a/two.ts'],
  ],
  'a file renamed over another': [
    (at) => {
      writeFileSync(at('/c/new'), 'needle')
      renameSync(at('/c/new'), at('/a/one.ts'))
    },
    ['/a/deep/three.ts', '/a/one.ts', '/a/two.ts'],
  ],
  'a file that is gone': [(at) => rmSync(at('/a/two.ts')), ['/a/deep/three.ts']],
  'a link in place of a file': [
    (at) => {
      rmSync(at('/a/two.ts'))
      symlinkSync('deep/three.ts', at('/a/two.ts'))
    },
    ['/a/deep/three.ts'],
  ],
  'a folder that moved': [(at) => renameSync(at('/a'), at('/c/a')), ['/c/a/deep/three.ts', '/c/a/two.ts']],
  'a folder in place of a file': [
    (at) => {
      rmSync(at('/a/two.ts'))
      mkdirSync(at('/a/two.ts/in'), { recursive: true })
      writeFileSync(at('/a/two.ts/in/x'), 'needle')
    },
    ['/a/deep/three.ts', '/a/two.ts/in/x'],
  ],
  'new folders': [
    (at) => {
      mkdirSync(at('/n/e/w'), { recursive: true })
      writeFileSync(at('/n/e/w/x'), 'needle')
    },
    [...before, '/n/e/w/x'],
  ],
  'rules that ignore less': [
    (at) => writeFileSync(at('/.gitignore'), ''),
    [...before, '/b/four.log', '/ignored/five.ts'],
  ],
  'rules that ignore more': [(at) => appendFileSync(at('/.gitignore'), 'deep/\n'), ['/a/two.ts']],
  'rules in a folder': [(at) => writeFileSync(at('/a/.gitignore'), 'two.ts\n'), ['/a/deep/three.ts']],
  'no rules': [(at) => rmSync(at('/.gitignore')), [...before, '/b/four.log', '/ignored/five.ts']],
}

onLinux.each(Object.entries(changes))('a search right after a change sees %s', async (_, [change, after]) => {
  using world = makeWorld(files)
  await using run = openRun(world)
  await untilReady(run.index)
  expect(await run.grep('needle')).toEqual(before)
  change((path) => join(world.root, path))
  expect(await run.grep('needle')).toEqual(after)
  await untilReady(run.index)
  expect((await run.index.state())?.ready).toBe(true)
  expect(await run.grep('needle')).toEqual(after)
})

// Notices an index that does not look again at folders that changed while they were read.
onLinux('sees changes that were made while their folder was read', async () => {
  using world = makeWorld()
  // Each change is the only one of its folder.
  const name = (file: number) => `/in-${file % 600}/${file}.ts`
  for (let file = 0; file < 3_000; file += 1) world.write(name(file), 'nothing\n'.repeat(50))
  await using run = openRun(world)
  const changed: string[] = []
  for (let file = 0; !(await run.index.state())?.ready || file < 50; file += 1) {
    if (file < 400) {
      appendFileSync(join(world.root, name((file * 7) % 3_000)), 'needle')
      changed.push(name((file * 7) % 3_000))
    }
    await setTimeout(1)
  }
  expect(await run.grep('needle')).toEqual(changed.sort())
})

// Notices an index that keeps signatures of files with several names: no watch tells of a change through the other one.
onLinux('sees a change through another name of the file, outside the project', async () => {
  using world = makeWorld(files)
  linkSync(join(world.root, '/c/six.ts'), `${world.kept}-outside`)
  await using run = openRun(world)
  await untilReady(run.index)
  appendFileSync(`${world.kept}-outside`, ' needle')
  expect(await run.grep('needle')).toEqual([...before, '/c/six.ts'])
})

// Notices an index that applies the rules of the project in a repository inside it.
onLinux('leaves a repository inside the project to the engine, as long as there is one', async () => {
  using world = makeWorld({
    ...files,
    '/.git/HEAD': '',
    '/c/.git/HEAD': '',
    '/c/seven.log': 'needle',
    '/c/in/eight.log': 'needle',
  })
  await using run = openRun(world)
  await untilReady(run.index)
  expect((await run.index.state())?.ready).toBe(true)
  expect(await run.grep('needle')).toEqual([...before, '/c/in/eight.log', '/c/seven.log'])
  rmSync(join(world.root, '/c/.git'), { recursive: true })
  expect(await run.grep('needle')).toEqual(before)
})

// Notices a search that lets the engine map the files it names into memory: then it sees no NUL behind their beginning.
onLinux('reads a file that it names as it reads one that it walks to', async () => {
  using world = makeWorld({ ...files, '/c/late.bin': `needle\n${'x\n'.repeat(200_000)}\0` })
  await using run = openRun(world)
  await untilReady(run.index)
  expect(await run.grep('needle')).toEqual(before)
})

// Notices an index that does not compare its list of files with the engine's.
onLinux('answers only when the engine lists the same files', async () => {
  using world = makeWorld(files)
  await using run = openRun(world)
  run.index.listWithEngine = async () => 'other files'
  await untilReady(run.index)
  expect(await run.index.state()).toMatchObject({ ready: false, refused: 'The engine lists other files.' })
  expect(await run.grep('needle')).toEqual(before)
})

onLinux('lets the search go on when its thread ends', async () => {
  using world = makeWorld(files)
  await using run = openRun(world)
  await untilReady(run.index)
  await run.index[Symbol.asyncDispose]()
  expect(await run.grep('needle')).toEqual(before)
  expect(await run.index.find('two', 5)).toBeNull()
})
