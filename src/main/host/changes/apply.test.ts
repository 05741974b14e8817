import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentOf } from '#core/branches/branch-trees.ts'
import { appendTo } from '#core/journal/project-log.testkit.ts'
import type { DiskApply } from '#core/ports/disk-apply.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import type { Project } from '../project/project.ts'
import { applyToDisk, checkApply, undoApply } from './apply.ts'
import { openApplyWorld, reopen } from './apply-world.testkit.ts'
import { exportPatch } from './export-patch.ts'

const files = { '/a': 'a', '/b': 'b', '/sub/c': 'c' }
const changes = { '/a': 'A', '/sub/c': null, '/new/d': 'd' }

/** A project whose disk writer is wrapped to do something extra. */
const withDisk = (
  project: Project,
  apply: (real: DiskApply, ...rest: Parameters<DiskApply['apply']>) => Promise<void>,
) => {
  const { diskApply } = project
  if (!diskApply) throw new Error('This project has no folder.')
  return { ...project, diskApply: { check: diskApply.check, apply: (...rest) => apply(diskApply, ...rest) } } as Project
}

describe('an apply', () => {
  it('happens once: a second apply finds nothing to do, and a second undo is refused', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const { sequence } = await applyToDisk(world.project, world.branchId, null)
    expect([world.read('a'), world.read('new/d')]).toEqual(['A', 'd'])
    await expect(applyToDisk(world.project, world.branchId, null)).rejects.toMatchObject({ code: 'REFUSED' })
    await undoApply(world.project, world.branchId, sequence)
    await expect(undoApply(world.project, world.branchId, sequence)).rejects.toMatchObject({ code: 'conflict' })
    expect([world.read('a'), world.read('sub/c')]).toEqual(['a', 'c'])
    expect(await checkApply(world.project, world.branchId, null)).toHaveLength(3)
  })

  it('writes only what the person saw', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const seen = await checkApply(world.project, world.branchId, null)
    const apply = (expected: typeof seen) =>
      applyToDisk(
        world.project,
        world.branchId,
        expected.map(({ path }) => path),
        { expected },
      )
    await world.write({ '/a': 'AA', '/late': 'late' })
    await expect(apply(seen)).rejects.toMatchObject({
      code: 'CONFLICT',
      message: '/a changed since you looked. Look again, then apply.',
    })
    expect([world.read('a'), world.read('sub/c'), world.types()]).toEqual(['a', 'c', []])
    const again = await checkApply(world.project, world.branchId, null)
    const { written, deleted } = await apply(again.filter(({ path }) => path !== '/late'))
    expect([...written, ...deleted]).toEqual(['/a', '/new/d', '/sub/c'])
  })

  it('names the files that are written along with a chosen one, and refuses when they have changed since', async () => {
    await using world = await openApplyWorld({ '/a': 'a', '/d': 'd' })
    await world.write({ '/d': null, '/d/x': 'x' })
    await world.move('/a', '/b')
    const seen = await checkApply(world.project, world.branchId, null)
    expect(seen.map(({ path, companions }) => [path, companions?.map((one) => one.path)])).toEqual([
      ['/b', ['/a']],
      ['/d', ['/d/x']],
      ['/d/x', ['/d']],
    ])
    const apply = (path: string) => {
      const expected = seen.filter((one) => one.path === path)
      const along = expected.flatMap(({ companions = [] }) => companions)
      return applyToDisk(world.project, world.branchId, [path as VirtualPath], { expected, along })
    }
    await world.write({ '/d/y': 'y', '/d/x': 'X' })
    const late = { code: 'CONFLICT', message: '/d/x and 1 more changed since you looked. Look again, then apply.' }
    await expect(apply('/d')).rejects.toMatchObject(late)
    expect([world.read('a'), world.read('d'), world.types()]).toEqual(['a', 'd', []])
    expect((await apply('/b')).deleted).toEqual(['/a'])
    const receipt = await applyToDisk(world.project, world.branchId, ['/d/x' as VirtualPath])
    expect(receipt).toMatchObject({ written: ['/d/x'], deleted: ['/d'] })
  })

  it('reports progress; when cancelled, it restores everything and can start again', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const told: unknown[] = []
    using _ = world.project.events.listen((event) => void (event.type === 'apply.progress' && told.push(event)))
    const controller = new AbortController()
    const cancelling = withDisk(world.project, (real, steps, content, watch) => {
      const onProgress = (done: number, total: number): void => {
        watch?.onProgress?.(done, total)
        if (done === total - 1) controller.abort()
      }
      return real.apply(steps, content, { ...watch, onProgress })
    })
    const applying = applyToDisk(cancelling, world.branchId, null, { signal: controller.signal })
    await expect(applying).rejects.toMatchObject({ code: 'cancelled' })
    expect([world.read('a'), world.read('sub/c')]).toEqual(['a', 'c'])
    expect(told).toContainEqual(expect.objectContaining({ branchId: world.branchId, done: 1, total: 5 }))
    await applyToDisk(world.project, world.branchId, null)
    expect(world.read('a')).toBe('A')
  })

  it.each<[string, (folder: string) => void, string]>([
    ['edited', (folder) => writeFileSync(join(folder, 'a'), 'by a person'), 'changed'],
    [
      'turned into a link',
      (folder) => {
        rmSync(join(folder, 'a'))
        symlinkSync('/etc/hostname', join(folder, 'a'))
      },
      'refused',
    ],
    [
      'turned into a folder',
      (folder) => {
        rmSync(join(folder, 'a'))
        mkdirSync(join(folder, 'a'))
      },
      'refused',
    ],
  ])('writes nothing when a file was %s after the check, and names it', async (_, change, state) => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    expect((await checkApply(world.project, world.branchId, null)).every((one) => one.state === 'ready')).toBe(true)
    change(world.folder)
    const again = await checkApply(world.project, world.branchId, null)
    expect(again.filter((one) => one.state !== 'ready')).toMatchObject([{ path: '/a', state }])
    const applied = applyToDisk(world.project, world.branchId, null)
    await expect(applied).rejects.toMatchObject({ code: state, message: expect.stringContaining('/a') })
    expect(world.read('sub/c')).toBe('c')
    expect(world.types()).toEqual(['apply.started', 'apply.failed'])
  })

  it('cannot be undone over an outside edit, and can when that edit is gone', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const { sequence } = await applyToDisk(world.project, world.branchId, null)
    writeFileSync(join(world.folder, 'new/d'), 'by a person')
    await expect(undoApply(world.project, world.branchId, sequence)).rejects.toMatchObject({ code: 'changed' })
    expect([world.read('a'), world.read('new/d')]).toEqual(['A', 'by a person'])
    writeFileSync(join(world.folder, 'new/d'), 'd')
    await undoApply(world.project, world.branchId, sequence)
    expect([world.read('a'), world.read('sub/c')]).toEqual(['a', 'c'])
  })

  it('happens once when requested twice at once', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const apply = () => applyToDisk(world.project, world.branchId, null)
    const ends = await Promise.allSettled([apply(), apply()])
    expect(ends.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect([world.read('a'), world.read('new/d'), world.head().root]).toEqual(['A', 'd', null])
  })

  it('is rolled back when the workspace changes a file during the write: neither text is lost', async () => {
    await using world = await openApplyWorld(files)
    await world.write(changes)
    const racing = withDisk(world.project, async (real, ...rest) => {
      await real.apply(...rest)
      if (world.types().length === 1) await world.write({ '/a': 'later' })
    })
    await expect(applyToDisk(racing, world.branchId, null)).rejects.toMatchObject({ code: 'conflict' })
    expect([world.read('a'), world.read('sub/c')]).toEqual(['a', 'c'])
    expect(world.types()).toEqual(['apply.started', 'apply.failed'])
    await applyToDisk(world.project, world.branchId, null)
    expect(world.read('a')).toBe('later')
  })
})

describe('after a crash', () => {
  const crash = new Error('killed')

  it.each([
    ['before it reached the disk', false, 'a', ['apply.started', 'apply.failed']],
    ['when all was written', true, 'A', ['apply.started', 'apply.finished']],
  ])('an apply that died %s is settled and reported', async (_, writes, text, told) => {
    const world = await openApplyWorld(files)
    await world.write(changes)
    const { project } = world
    const dying = withDisk(project, async (real, ...rest) => {
      if (writes) await real.apply(...rest)
      await world.host[Symbol.asyncDispose]()
      throw crash
    })
    await expect(applyToDisk(dying, world.branchId, null)).rejects.toThrow()
    await using again = await reopen(world)
    expect([again.types(), again.read('a')]).toEqual([told, text])
    expect(await checkApply(again.project, again.branchId, null)).toHaveLength(writes ? 0 : 3)
  })

  it("a person's edit after everything was written is kept", async () => {
    const world = await openApplyWorld(files)
    await world.write(changes)
    const dying = withDisk(world.project, async (real, ...rest) => {
      await real.apply(...rest)
      await world.host[Symbol.asyncDispose]()
    })
    await expect(applyToDisk(dying, world.branchId, null)).rejects.toThrow()
    writeFileSync(join(world.folder, 'a'), 'by a person')
    await using again = await reopen(world)
    expect([again.types(), again.read('a')]).toEqual([['apply.started', 'apply.finished'], 'by a person'])
    expect(again.head().root).toBeNull()
  })

  it.each([
    ['before it reached the disk', false],
    ['when all was put back', true],
  ])('an undo that died %s is settled, and the changes are there', async (_, writes) => {
    const world = await openApplyWorld(files)
    await world.write(changes)
    const { sequence } = await applyToDisk(world.project, world.branchId, null)
    const dying = withDisk(world.project, async (real, ...rest) => {
      if (writes) await real.apply(...rest)
      await world.host[Symbol.asyncDispose]()
      throw crash
    })
    await expect(undoApply(dying, world.branchId, sequence)).rejects.toThrow()
    await using again = await reopen(world)
    expect(again.types().at(-1)).toBe(writes ? 'apply.undone' : 'apply.failed')
    if (!writes) await undoApply(again.project, again.branchId, sequence)
    expect([again.read('a'), again.read('sub/c')]).toEqual(['a', 'c'])
    expect(await checkApply(again.project, again.branchId, null)).toHaveLength(3)
  })
})

describe('a repository that a command made', () => {
  /** Files of the branch, and `.git` in its environment. */
  async function madeWorld(script = '') {
    const world = await openApplyWorld(files)
    const { mounts, log } = world.project.services
    const never = new AbortController().signal
    await using mount = await mounts.open({ owner: 'made', overlay: [] }, never)
    const commit = 'git -c user.name=n -c user.email=e commit -qm one'
    const made = `cd "$0" && git init -q -b main new && cd new && echo d > d && git add d && ${commit} ${script}`
    const [program = '', ...rest] = mount.enter(['bash', '-ec', made, mount.folder])
    execFileSync(program, rest)
    const { environment } = await mount.capture()
    const [thread] = [...log.state.threads.keys()]
    if (!thread) throw new Error('There is no thread.')
    appendTo(log, [
      { type: 'environment.changed', threadId: thread, branchId: world.branchId, layers: environment, callId: null },
    ])
    await world.write({ '/new/d': 'd\n', '/a': 'A' })
    return world
  }
  const git = (folder: string, ...args: readonly string[]) =>
    execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e', ...args], {
      cwd: join(folder, 'new'),
      encoding: 'utf8',
    })

  // Mutation: without `removeRepositories`, `.git` stays; without the folders of `writeRepositories`, git finds none.
  it.each(['', '&& git gc -q && git pack-refs --all'])(
    'comes with an apply and goes with its undo %s',
    async (script) => {
      await using world = await madeWorld(script)
      expect((await checkApply(world.project, world.branchId, null)).map(({ path }) => path)).toEqual(['/a', '/new/d'])
      const { sequence, written } = await applyToDisk(world.project, world.branchId, null)
      expect(written).toEqual(['/a', '/new/d', '/new/.git'])
      // Looking writes an index.
      expect([git(world.folder, 'status', '--short'), git(world.folder, 'log', '--format=%s')]).toEqual(['', 'one\n'])
      await undoApply(world.project, world.branchId, sequence)
      expect([world.read('a'), existsSync(join(world.folder, 'new'))]).toEqual(['a', false])
      await applyToDisk(world.project, world.branchId, null)
      expect(git(world.folder, 'log', '--format=%s')).toBe('one\n')
    },
  )

  it.each([
    ['committed', 'commit -q --allow-empty -m two'],
    ['made a branch', 'branch two'],
    ['changed a setting', 'config user.name me'],
  ])('stays as it is when somebody %s in it since', async (_, args) => {
    await using world = await madeWorld()
    const { sequence } = await applyToDisk(world.project, world.branchId, null)
    git(world.folder, ...args.split(' '))
    const before = git(world.folder, 'log', '--format=%s')
    const message = '/new: The folder also holds ".git", which is not part of the change. Nothing was written.'
    await expect(undoApply(world.project, world.branchId, sequence)).rejects.toMatchObject({ message })
    expect([world.read('new/d'), git(world.folder, 'log', '--format=%s')]).toEqual(['d\n', before])
  })

  it('is one thing that a patch leaves out', async () => {
    await using world = await madeWorld()
    await world.write({ '/new/e': 'e\n' })
    const layers = environmentOf(world.project.services.log.trees, world.branchId)
    const { files: count, leftOut } = await exportPatch(world.project, world.head(), null, { layers })
    expect([count, leftOut]).toEqual([1, [{ path: '/new', why: expect.stringMatching(/^It is a new repository/) }]])
  })

  it('is put back when the undo fails', async () => {
    await using world = await madeWorld()
    const { sequence } = await applyToDisk(world.project, world.branchId, null)
    writeFileSync(join(world.folder, 'a'), 'by a person')
    await expect(undoApply(world.project, world.branchId, sequence)).rejects.toMatchObject({ code: 'changed' })
    expect([git(world.folder, 'status', '--short'), git(world.folder, 'log', '--format=%s')]).toEqual(['', 'one\n'])
  })
})
