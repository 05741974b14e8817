import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMountBase } from '../mount-base.ts'
import { movingFiles } from '../written-files.ts'
import { opaqueAmong } from './opaque-among.ts'

/** Mutation: leave out `merged.set`, or compare paths alone. */
it.runIf(process.platform === 'linux')('asks once for each folder, and again for what takes its place', async () => {
  const place = mkdtempSync(join(tmpdir(), 'coppice-opaque-'))
  const [project, upper, mount] = ['project', 'upper', 'mount'].map((name) => join(place, name)) as [
    string,
    string,
    string,
  ]
  for (const folder of [project, upper, mount]) mkdirSync(join(folder, 'both'), { recursive: true })
  for (const folder of [project, mount]) writeFileSync(join(folder, 'both/old'), '')
  let asked = 0
  const merged = new Map<VirtualPath, string>()
  const opaque = async () => {
    using written = movingFiles(upper)
    if (!written) throw new Error('no paths')
    const enter = (program: readonly string[]) => {
      asked += 1
      return ['env', '-C', mount, ...program]
    }
    const base = createMountBase([], project)
    return [...(await opaqueAmong(['/both' as VirtualPath], { written, base, layers: [], enter, merged }))]
  }
  expect([await opaque(), await opaque(), asked]).toEqual([[], [], 1])
  // What hides the project's folder is never remembered.
  for (const folder of [upper, mount]) rmSync(join(folder, 'both'), { recursive: true })
  for (const folder of [upper, mount]) mkdirSync(join(folder, 'both'))
  expect([await opaque(), await opaque(), asked]).toEqual([['/both'], ['/both'], 3])
})
