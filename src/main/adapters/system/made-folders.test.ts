import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { markFolder } from './made-folders.testkit.ts'
import {
  claimFolder,
  claimOrMake,
  emptyMade,
  endedRuns,
  makeTemporary,
  NotOurFolderError,
  releaseMade,
  removeInMade,
  removeInMadeSync,
  removeMade,
  sweepTemporary,
} from './made-folders.ts'
import { thisMaker } from './maker.ts'

const isRoot = process.getuid?.() === 0
const marker = '.made-by-coppice'
let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'made-folders-'))
})
afterEach(() => rmSync(above, { recursive: true, force: true }))
const at = (path: string) => join(above, path)

/** A folder of somebody else, with a file that must stay. */
function planted(name = 'theirs'): string {
  mkdirSync(at(name))
  writeFileSync(at(`${name}/canary`), 'theirs')
  return at(name)
}

/** Folders below one another, deeper than any path may be long. */
function makeDeep(top: string): void {
  const code =
    'import os,sys\nos.chdir(sys.argv[1])\nfor i in range(1500):\n  os.mkdir("d"*8); os.chdir("d"*8)\nopen("f","w")'
  execFileSync('python3', ['-c', code, top])
}

describe('a made folder', () => {
  // Mutation: without `raiseDeep`, both throw ENAMETOOLONG, and again each time that the folder is to be removed.
  it.skipIf(process.platform !== 'linux')('is removed with folders deeper than a path can be long', async () => {
    const made = makeTemporary('test')
    for (const name of ['one', 'other']) {
      mkdirSync(join(made, name))
      makeDeep(join(made, name))
    }
    removeInMadeSync(join(made, 'one'))
    await removeInMade(join(made, 'other'))
    expect(readdirSync(made)).toEqual([marker])
    await removeMade(made)
  })

  it('is private, has a name that nobody can guess, and says who made it', async () => {
    const [one, other] = [makeTemporary('test'), makeTemporary('test')]
    expect(lstatSync(one).mode & 0o777).toBe(0o700)
    expect(lstatSync(join(one, marker)).mode & 0o777).toBe(0o600)
    expect(JSON.parse(readFileSync(join(one, marker), 'utf8'))).toMatchObject(thisMaker())
    expect(one.slice(-6)).not.toBe(other.slice(-6))
    for (const folder of [one, other]) await removeMade(folder)
    expect([existsSync(one), existsSync(other)]).toEqual([false, false])
  })

  it('is taken over with what an earlier run left, and emptied of all but its mark', async () => {
    claimFolder(at('deep/views'))
    writeFileSync(at('deep/views/left'), '')
    chmodSync(at('deep/views'), 0o755)
    claimFolder(at('deep/views'))
    expect(lstatSync(at('deep/views')).mode & 0o777).toBe(0o700)
    await emptyMade(at('deep/views'))
    expect(readdirSync(at('deep/views'))).toEqual([marker])
    releaseMade(at('deep/views'))
    expect(readdirSync(at('deep/views'))).toEqual([])
    await expect(emptyMade(at('deep/views'))).rejects.toThrow(NotOurFolderError)
  })

  it('is emptied even when a command took every permission away, also of the folders below', async () => {
    claimFolder(at('views'))
    mkdirSync(at('views/a/b/c'), { recursive: true })
    writeFileSync(at('views/a/b/c/file'), '')
    for (const folder of ['views/a/b/c', 'views/a/b', 'views/a']) chmodSync(at(folder), 0o000)
    await removeInMade(at('views/a'))
    mkdirSync(at('views/d/e'), { recursive: true })
    for (const folder of ['views/d/e', 'views/d']) chmodSync(at(folder), 0o000)
    removeInMadeSync(at('views/d'))
    expect(readdirSync(at('views'))).toEqual([marker])
  })
})

const other = 65533
interface Plant {
  readonly name: string
  readonly says: RegExp
  readonly make: () => void
  /** Only root can give files away. */
  readonly needsRoot?: true
}

function emptyFolder(name: string): string {
  mkdirSync(at(name))
  return at(name)
}
function marked(folder: string): string {
  writeFileSync(join(folder, marker), '{}')
  return folder
}

/** Every way in which a place can be somebody else's. */
const plants: readonly Plant[] = [
  { name: 'a link to a full folder', says: /is a link/, make: () => symlinkSync(planted(), at('wanted')) },
  { name: 'a link to an empty folder', says: /is a link/, make: () => symlinkSync(emptyFolder('e'), at('wanted')) },
  { name: 'a link to nothing', says: /is a link/, make: () => symlinkSync(at('nowhere'), at('wanted')) },
  { name: 'a link to a marked folder', says: /is a link/, make: () => symlinkSync(marked(planted()), at('wanted')) },
  { name: 'a file', says: /is not a folder/, make: () => writeFileSync(at('wanted'), 'theirs') },
  { name: 'a full folder', says: /holds files that Coppice did not make/, make: () => planted('wanted') },
  {
    name: 'a folder whose mark is a link',
    says: /has a mark that Coppice did not make/,
    make: () => symlinkSync('canary', join(planted('wanted'), marker)),
  },
  {
    name: 'a folder whose mark is a folder',
    says: /has a mark that Coppice did not make/,
    make: () => mkdirSync(join(planted('wanted'), marker)),
  },
  {
    name: "another user's empty folder",
    says: /belongs to another user/,
    make: () => chownSync(emptyFolder('wanted'), other, other),
    needsRoot: true,
  },
  {
    name: "another user's marked folder",
    says: /belongs to another user/,
    make: () => chownSync(marked(planted('wanted')), other, other),
    needsRoot: true,
  },
  {
    name: "a folder with another user's mark",
    says: /has a mark that Coppice did not make/,
    make: () => chownSync(join(marked(planted('wanted')), marker), other, other),
    needsRoot: true,
  },
]

describe('a place that is not ours', () => {
  const possible = plants.filter(({ needsRoot }) => isRoot || !needsRoot)
  it.each(possible.map((plant) => [plant.name, plant] as const))(
    'is neither used nor emptied: %s',
    async (_name, { says, make }) => {
      make()
      const before = readdirSync(above, { recursive: true }).sort()
      expect(() => claimFolder(at('wanted'))).toThrow(says)
      await expect(emptyMade(at('wanted'))).rejects.toThrow(NotOurFolderError)
      const { folder, problem } = claimOrMake(at('wanted'), 'test')
      expect(problem).toMatch(/so Coppice neither uses nor empties it\.$/)
      expect(folder.startsWith(join(tmpdir(), 'coppice-test-'))).toBe(true)
      await removeMade(folder)
      expect(readdirSync(above, { recursive: true }).sort()).toEqual(before)
    },
  )

  it('is never emptied: outside, through a link inside, after a swap, or by its own name', async () => {
    claimFolder(at('views'))
    symlinkSync(planted(), at('views/link'))
    for (const place of [
      at('theirs'),
      at('theirs/canary'),
      at('views/link/canary'),
      above,
      at('views/../theirs'),
      '/',
    ]) {
      await expect(removeInMade(place)).rejects.toThrow(NotOurFolderError)
      expect(() => removeInMadeSync(place)).toThrow(NotOurFolderError)
      await expect(removeMade(place)).rejects.toThrow(NotOurFolderError)
    }
    expect(() => removeInMadeSync(at('views/link'), Buffer.from('canary'))).toThrow(NotOurFolderError)
    await removeInMade(at('views/link'))
    renameSync(at('views'), at('moved'))
    symlinkSync(at('theirs'), at('views'))
    await expect(emptyMade(at('views'))).rejects.toThrow(NotOurFolderError)
    await expect(removeInMade(at('views/canary'))).rejects.toThrow(NotOurFolderError)
    await removeMade(at('views'))
    expect(readFileSync(at('theirs/canary'), 'utf8')).toBe('theirs')
  })
})

// Mutation: leave `requireUnmounted` out of a way to remove: `rmSync` empties what is mounted, `rm` throws EBUSY for ever.
describe.runIf(process.platform === 'linux')('what a program mounted in a made folder', () => {
  const ways = ['removeMade', 'emptyMade', 'removeInMade', 'removeInMadeSync']
  it.each([
    ['is unmounted, and the folder goes without its files', '', ways.map((way) => [way, '', false])],
    [
      'stays with its files where it cannot be unmounted, and is named',
      'setpriv --bounding-set -all --inh-caps -all --',
      ways.map((way) => [way, expect.stringContaining('has another file system at'), true]),
    ],
  ])('%s', (_, without, expected) => {
    mkdirSync(at('theirs'))
    writeFileSync(at('theirs/canary'), 'theirs')
    const program = `"${process.execPath}" --experimental-import-meta-resolve "${join(import.meta.dirname, 'mounted-folder.testkit.ts')}"`
    const script = `set -e; mount -t tmpfs none /mnt || exit 77; ${program} "$1" make
      for way in ${ways.join(' ')}; do mount --bind "$1/theirs" "$1/$way/a/b c"; done; ${without} ${program} "$1" remove`
    const own = isRoot ? [] : ['--user', '--map-root-user']
    const inside = ['--mount', '--propagation', 'private', '--', 'bash', '-c', script, 'bash', above]
    const { status, stdout, stderr } = spawnSync('unshare', [...own, ...inside], { encoding: 'utf8' })
    if (status === 77 || stderr.startsWith('unshare:')) return console.warn('SKIPPED: nobody may mount here.')
    expect(stderr).toBe('')
    expect(JSON.parse(stdout)).toEqual(expected)
    expect(readFileSync(at('theirs/canary'), 'utf8')).toBe('theirs')
  })
})

describe('the sweep at a start', () => {
  // An app that another test starts meanwhile would sweep the usual one.
  beforeEach(() => {
    for (const name of ['TMPDIR', 'TEMP', 'TMP']) vi.stubEnv(name, above)
  })
  afterEach(() => vi.unstubAllEnvs())

  /** In the temporary folder, as a run that was killed leaves it. A text is a mark of somebody else. */
  function left(mark: object | string | null, name = 'test'): string {
    const folder = mkdtempSync(join(tmpdir(), `coppice-${name}-`))
    if (typeof mark === 'string') writeFileSync(join(folder, marker), mark)
    else if (mark !== null) markFolder(folder, mark)
    return folder
  }
  /** Whether each is gone. */
  const sweptOf = async (...folders: readonly string[]) => {
    await sweepTemporary()
    return folders.map((folder) => !lstatSync(folder, { throwIfNoEntry: false }))
  }

  it('removes the folders of processes that have ended, and no others', async () => {
    const ended = spawn(process.execPath, ['-e', ''])
    await once(ended, 'exit')
    const dead = left({ pid: ended.pid })
    mkdirSync(join(dead, 'closed/deep'), { recursive: true })
    chmodSync(join(dead, 'closed'), 0o000)
    const later = left({ started: 'earlier' })
    const restarted = left({ machine: thisMaker().machine.replace(/ \S+ /, ' another-start ') })
    const fresh = left(null)
    const stale = left(null)
    utimesSync(stale, 0, 0)
    const kept = [left({}), left({ machine: 'elsewhere 1 2' }), left('not JSON'), makeTemporary('mine'), fresh]
    const otherNamespace = left({ machine: thisMaker().machine.replace(/\S+$/, '1') })
    expect(await sweptOf(dead, later, restarted, stale)).toEqual([true, true, true, true])
    expect([...kept, otherNamespace].filter((folder) => !existsSync(folder))).toEqual([])
    for (const folder of [...kept, otherNamespace]) rmSync(folder, { recursive: true })
  })

  /** The names in `folder`; none once the sweep, which goes on meanwhile, has removed it. */
  const namesIn = (folder: string): readonly string[] => {
    try {
      return readdirSync(folder)
    } catch {
      return []
    }
  }

  // Mutation: without the loop over the names, the mark goes first, and no later start may remove what is left.
  it('takes the mark away last, so that the next start goes on with what it did not finish', async () => {
    const folder = left({ pid: 999_999_999 })
    for (let index = 0; index < 50; index += 1) mkdirSync(join(folder, `${index}/a/b/c/d`), { recursive: true })
    const seen: (readonly string[])[] = []
    let done = false
    const sweeping = sweptOf(folder).finally(() => (done = true))
    while (!done) {
      const names = namesIn(folder)
      if (names.length > 0) seen.push(names)
      await setImmediate()
    }
    expect(await sweeping).toEqual([true])
    expect(seen.length).toBeGreaterThan(1)
    expect(seen.filter((names) => !names.includes(marker))).toEqual([])
  })

  // Mutation: without the check of the folder's identity, a cloned repository named `coppice-…` is removed.
  it('leaves a folder whose mark was written for another one', async () => {
    const brought = { pid: 1, started: '', machine: `${hostname()} x y`, run: '' }
    const marks = [brought, { ...thisMaker(), pid: 999_999_999 }, { ...thisMaker(), ...brought, folder: '1:2:3' }]
    const folders = marks.map((mark) => left(JSON.stringify(mark), 'clone'))
    expect(await sweptOf(...folders)).toEqual([false, false, false])
    expect(endedRuns().size).toBe(0)
    for (const folder of folders) rmSync(folder, { recursive: true })
  })

  it('follows no link and touches nothing of another user', async () => {
    markFolder(planted(), { pid: 999_999_999 })
    const link = join(tmpdir(), `coppice-test-link${process.pid}`)
    symlinkSync(at('theirs'), link)
    const foreign = left({ pid: 999_999_999 })
    if (isRoot) chownSync(foreign, 65533, 65533)
    const forged = left({ pid: 999_999_999 })
    if (isRoot) chownSync(join(forged, marker), 65533, 65533)
    expect(await sweptOf(link, foreign, forged)).toEqual([false, !isRoot, !isRoot])
    expect(readFileSync(at('theirs/canary'), 'utf8')).toBe('theirs')
    for (const folder of [link, foreign, forged]) rmSync(folder, { recursive: true, force: true })
  })
})

it('is the only code of views, sandbox, runner and system that removes folders', () => {
  const adapters = join(import.meta.dirname, '..')
  const sources = ['mounts', 'shell', 'runner', 'system'].flatMap((room) =>
    readdirSync(join(adapters, room), { recursive: true, encoding: 'utf8' }).map((name) => join(room, name)),
  )
  const removing = sources
    .filter((name) => name.endsWith('.ts') && !/\.(test|testkit)\.ts$/.test(name))
    .filter((name) => /\b(rm|rmSync|rmdir|rmdirSync)\(/.test(readFileSync(join(adapters, name), 'utf8')))
  expect(removing).toEqual(['system/made-folders.ts'])
})
