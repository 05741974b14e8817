import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { fuzz } from './fuzz.ts'
import { createRandom, mutate } from './mutate.ts'
import { loadTarget, targetNames } from './targets.ts'

const folder = mkdtempSync(join(tmpdir(), 'coppice-fuzz-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a reader of hostile text', () => {
  it.each(targetNames)('keeps its laws for its seeds and what is made from them: %s', async (name) => {
    const target = await loadTarget(name)
    const seeds = target.seeds.map((seed) => Buffer.from(seed))
    const random = createRandom(20_261_122)
    const words = target.seeds.flatMap((seed) => seed.split(/\s+/))
    for (const seed of seeds) await target.run(seed)
    for (let count = 0; count < 60; count += 1) await target.run(mutate(seeds, words, random))
  })
})

describe('the driver', () => {
  const faulty = join(import.meta.dirname, 'faulty.testkit.fuzz.ts')

  it.each([
    ['throws', /Error: a law/],
    ['ends', /ended the process/],
    ['grows', /ended the process: .*memory/],
    ['hangs', /took longer than 2 s/],
  ])('keeps an input with which a reader %s, and says why', async (fault, why) => {
    const replay = join(folder, fault)
    writeFileSync(replay, fault)
    const limits = { secondsPerInput: fault === 'grows' ? 30 : 2, heapMb: 64 }
    const result = await fuzz({
      target: faulty,
      seconds: 1,
      seed: 1,
      replay,
      failuresFolder: join(folder, 'kept'),
      ...limits,
    })
    expect(result.failures).toEqual([{ file: expect.any(String), why: expect.stringMatching(why) }])
    expect(readFileSync(result.failures[0]?.file ?? '', 'utf8')).toBe(fault)
  })

  it('reaches more of a reader than its seeds do, and repeats its inputs for the same seed', async () => {
    const result = await fuzz({ target: 'front-matter', seconds: 1, seed: 7, failuresFolder: join(folder, 'none') })
    expect(result).toMatchObject({ target: 'front-matter', seed: 7, failures: [] })
    expect(result.inputs).toBeGreaterThan(10)
    expect(result.blocks).toBeGreaterThan(100)
    const made = () => {
      const random = createRandom(7)
      return Array.from({ length: 50 }, () => mutate([Buffer.from('abc def')], ['x'], random).toString('hex'))
    }
    expect(made()).toEqual(made())
  })
})
