import { describe, expect, it } from 'vitest'
import type { Drift } from '#shared/model/drift.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createDriftList } from './drift-watch.ts'

const at = (path: string) => path as VirtualPath

/** A list over a map as the disk. A path has drifted while the map has an entry for it. */
function listOver(disk: Map<string, string>) {
  const compared: string[] = []
  const told: (readonly string[])[] = []
  const problems: unknown[] = []
  const list = createDriftList({
    compare: async (path) => {
      compared.push(path)
      const version = disk.get(path)
      if (version === 'broken') throw new Error('broken')
      return version === undefined ? null : ({ path, kind: 'changed', since: 'read', disk: version } satisfies Drift)
    },
    onChange: (files) => told.push(files.map(({ path, disk: version }) => `${path} ${version}`)),
    onProblem: (error) => problems.push(error),
  })
  return { list, compared, told, problems }
}

describe('the drifted files of a branch', () => {
  it('are announced when they change, and not otherwise', async () => {
    const disk = new Map([['/a', '1']])
    const { list, told } = listOver(disk)
    list.look([at('/a'), at('/b')])
    expect(await list.settled()).toMatchObject([{ path: '/a' }])
    list.look([at('/a')])
    await list.settled()
    disk.set('/a', '2')
    list.look([at('/a')])
    await list.settled()
    disk.clear()
    list.look([at('/a')])
    expect(await list.settled()).toEqual([])
    expect(told).toEqual([['/a 1'], ['/a 2'], []])
  })

  it('compare a path at most twice and announce at most twice for a burst of 5,000 hints', async () => {
    const paths = Array.from({ length: 50 }, (_, index) => at(`/file-${index}`))
    const disk = new Map<string, string>()
    const { list, compared, told } = listOver(disk)
    for (let change = 0; change < 5000; change += 1) {
      const path = paths[change % paths.length] ?? at('/')
      disk.set(path, String(change))
      list.look([path])
    }
    const files = await list.settled()
    expect(files.map(({ disk: version }) => Number(version)).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 50 }, (_, index) => 4950 + index),
    )
    expect(compared.length).toBeLessThanOrEqual(2 * paths.length)
    expect(told.length).toBeLessThanOrEqual(2)
  })

  it('continue after a failed comparison, and report it', async () => {
    const disk = new Map([['/a', 'broken']])
    const { list, problems } = listOver(disk)
    list.look([at('/a')])
    expect(await list.settled()).toEqual([])
    disk.set('/a', '1')
    list.look([at('/a')])
    expect(await list.settled()).toHaveLength(1)
    expect(problems).toHaveLength(1)
  })
})
