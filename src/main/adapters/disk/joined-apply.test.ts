import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { joinApplies } from '#core/folders/join-applies.ts'
import type { ApplyStep } from '#core/ports/disk-apply.ts'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { file, hashing, large, largeChange, putFolder, snapshotOf, step, wideChange } from './apply-world.testkit.ts'
import { createDiskApply } from './disk-apply.ts'

let above: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-joined-'))
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const names = ['app', 'lib'] as const
const placeOf = (name: string) => join(above, name)
const shown = () => Object.fromEntries(names.map((name) => [name, snapshotOf(placeOf(name))]))

function open() {
  const [app, lib] = names.map((name) =>
    createDiskApply({ rootFolder: placeOf(name), recordFolder: join(above, `records-${name}`, 'apply'), hashing }),
  )
  if (!app || !lib) throw new Error('There are two.')
  return joinApplies([
    { root: rootPath, disk: app },
    { root: '/lib' as VirtualPath, disk: lib },
  ])
}

/** The steps as those of `/lib`, as the overlay has them: a large content is named by its path in the project. */
function inLibrary(steps: readonly ApplyStep[]): readonly ApplyStep[] {
  const node = (one: ApplyStep['before']) =>
    one?.kind === 'file' && one.large
      ? { ...one, large: { ...one.large, path: `/lib${one.large.path}` as VirtualPath } }
      : one
  return steps.map((one) => step(`/lib${one.path}`, node(one.before), node(one.after)))
}

const contentsOf =
  (...all: readonly Readonly<Record<string, string>>[]) =>
  ({ path }: ApplyStep) =>
    Buffer.from(all.map((texts) => texts[path] ?? texts[path.slice(4)]).find((text) => text !== undefined) ?? '')

describe('an apply to two folders on disk', () => {
  it.each([
    ['every kind of change', wideChange],
    ['large files', largeChange],
  ])('writes both, and puts both back when the second one fails at its end: %s', async (_, change) => {
    for (const name of names) putFolder(placeOf(name), change.before)
    const steps = [...change.steps, ...inLibrary(change.steps)]
    const old = shown()
    const inode = statSync(placeOf('app')).ino
    const interfering = (one: ApplyStep) => {
      // Somebody saves a file of the second folder after it was looked at.
      if (one.path.startsWith('/lib')) writeFileSync(join(placeOf('lib'), 'late'), 'of a person')
      return contentsOf(change.contents)(one)
    }
    const late = step('/lib/late', null, file('of an agent'))
    await expect(open().apply([...steps, late], interfering)).rejects.toMatchObject({
      ...{ code: 'changed', message: expect.stringMatching(/^In \/lib: \/late: /) },
    })
    rmSync(join(placeOf('lib'), 'late'))
    expect(shown()).toEqual(old)
    await open().apply(steps, contentsOf(change.contents))
    putFolder(placeOf('new'), change.after)
    expect(shown()).toEqual({ app: snapshotOf(placeOf('new')), lib: snapshotOf(placeOf('new')) })
    for (const name of names) expect(readdirSync(join(above, `records-${name}`, 'apply'))).toEqual([])
    expect(statSync(placeOf('app')).ino).toBe(inode)
  })

  it('copies a large file inside of the second folder, and takes nothing of that name from the first one', async () => {
    putFolder(placeOf('app'), { '/big': '644 other' })
    putFolder(placeOf('lib'), { '/big': '644 content' })
    await open().apply([step('/lib/twin', null, large('content', '/lib/big'))], contentsOf())
    expect(shown()).toEqual({ app: { '/big': '644 other' }, lib: { '/big': '644 content', '/twin': '644 content' } })
  })

  // Mutation: leave out `whenWritten` in `disk-apply.ts`, or `...left` in `applyParts`.
  it('names in each folder what could not be put back', async () => {
    for (const name of names) putFolder(placeOf(name), { '/a': '644 old', '/b': '644 old' })
    const steps = ['/a', '/b', '/lib/a', '/lib/b'].map((path) => step(path, file('old'), file('new')))
    const progress: string[] = []
    const applied = open().apply(steps, () => Buffer.from('new'), {
      onProgress(done, total) {
        progress.push(`${done}/${total}`)
        if (done < 4) return
        for (const name of names) writeFileSync(join(placeOf(name), 'a'), 'of a person')
        throw new Error('The disk is full.')
      },
    })
    await expect(applied).rejects.toMatchObject({ code: 'failed', left: ['/a', '/lib/a'] })
    expect(progress).toEqual(['0.5/4', '1/4', '1.5/4', '2/4', '2.5/4', '3/4', '3.5/4', '4/4'])
    const left = { '/a': '644 of a person', '/b': '644 old' }
    expect(shown()).toEqual({ app: left, lib: left })
  })
})
