import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { anyText, applyHunks, describeTextMerge } from '#overlay/testkit'
import { mergeTexts } from './merge-texts.ts'
import { createTextMerge } from './text-merge.ts'

const workerPath = join(import.meta.dirname, 'worker.ts')

describeTextMerge('worker thread', () => {
  const textMerge = createTextMerge(workerPath)
  return { textMerge, [Symbol.asyncDispose]: () => textMerge[Symbol.asyncDispose]() }
})

describe('text merge bounds', () => {
  const half = (sign: string) =>
    Array.from({ length: 20_000 }, (_, index) => (index % 2 ? `same ${index}` : `${sign} ${index}`)).join('\n')

  it('ends a comparison that takes too long, marks it, and still turns one text into the other', async () => {
    await using textMerge = createTextMerge(workerPath)
    const shuffled = (seed: number) =>
      Array.from({ length: 60_000 }, (_, index) => `${(index * seed) % 9973}\n`).join('')
    const diff = await textMerge.hunks(shuffled(7), shuffled(7919), 3)
    expect(diff.approximate).toBe(true)
    expect(applyHunks(shuffled(7), diff)).toBe(shuffled(7919))
    expect((await textMerge.hunks('a\n', 'b\n', 3)).approximate).toBe(false)
    expect(diff.added).toBeGreaterThan(50_000)
  })

  it('gives up a merge at its time limit without blocking the process, and continues with the next', async () => {
    await using textMerge = createTextMerge(workerPath, 300)
    let ticks = 0
    const timer = setInterval(() => {
      ticks += 1
    }, 10)
    const hard = textMerge.merge(half('base'), `${half('ours')}\n`.repeat(4), `${half('theirs')}\n`.repeat(4))
    const easy = textMerge.merge('a\n', 'b\n', 'a\n')
    expect(await hard).toBeNull()
    expect(await easy).toEqual({ text: 'b\n' })
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(5)
  })

  it('survives a worker that cannot start', async () => {
    await using textMerge = createTextMerge(join(import.meta.dirname, 'missing.ts'))
    const long = 'a\n'.repeat(20_000)
    expect(await textMerge.merge(long, `b\n${long}`, long)).toBeNull()
    expect(await textMerge.hunks(long, `b\n${long}`, 3)).toMatchObject({ approximate: true, added: 20_001 })
  })

  it('compares and merges short texts without a worker, and lets other work run in between', async () => {
    await using textMerge = createTextMerge(join(import.meta.dirname, 'missing.ts'))
    let turns = 0
    const counting = setInterval(() => {
      turns += 1
    })
    const lines = Array.from({ length: 500 }, (_, index) => `${index % 100}\n`).join('')
    for (let round = 0; round < 100; round += 1) {
      expect(await textMerge.merge(lines, `first\n${lines}`, `${lines}last\n`)).toEqual({
        text: `first\n${lines}last\n`,
      })
      expect(await textMerge.hunks(lines, `first\n${lines}`, 3)).toMatchObject({ approximate: false, added: 1 })
    }
    clearInterval(counting)
    expect(turns).toBeGreaterThan(3)
  })

  it('keeps every text readable: nothing is invented', () => {
    const property = fc.property(anyText, anyText, anyText, (base, ours, theirs) => {
      const merged = mergeTexts(base, ours, theirs)
      const known = new Set([base, ours, theirs].flatMap((text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? []))
      for (const line of merged?.text.match(/[^\n]*\n|[^\n]+$/g) ?? []) expect(known).toContain(line)
    })
    fc.assert(property, { numRuns: 300 })
  })
})
