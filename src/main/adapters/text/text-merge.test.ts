import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { anyText, applyHunks, describeTextMerge } from '#core/ports/text-merge.suite.ts'
import { mergeTexts } from './merge-texts.ts'
import { createTextMerge } from './text-merge.ts'

const workerPath = join(import.meta.dirname, 'worker.ts')

describeTextMerge('worker thread', () => {
  const textMerge = createTextMerge(workerPath)
  return { textMerge, [Symbol.asyncDispose]: () => textMerge[Symbol.asyncDispose]() }
})

describe('mergeTexts against git merge-file', () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'coppice-merge-'))
  })
  afterAll(() => rmSync(folder, { recursive: true, force: true }))

  function gitMerge(base: string, ours: string, theirs: string): string | null {
    for (const [name, text] of Object.entries({ base, ours, theirs })) writeFileSync(join(folder, name), text)
    const run = spawnSync('git', ['merge-file', '-p', 'ours', 'base', 'theirs'], { cwd: folder })
    return run.status === 0 ? run.stdout.toString() : null
  }

  it('is clean only where git is clean, and then the same', { timeout: 60_000 }, () => {
    let clean = 0
    const property = fc.property(edits, ([base, ours, theirs]) => {
      const merged = mergeTexts(base, ours, theirs)
      if (!merged) return
      clean += 1
      expect(gitMerge(base, ours, theirs)).toBe(merged.text)
    })
    fc.assert(property, { numRuns: 1500 })
    expect(clean).toBeGreaterThan(300)
  })
})

/** A text of mostly distinct lines and two edits of it, as people and agents make them. */
const edits = fc
  .tuple(
    fc.integer({ min: 3, max: 25 }),
    fc.array(edit(), { maxLength: 3 }),
    fc.array(edit(), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([size, ours, theirs, newline]) => {
    const lines = Array.from({ length: size }, (_, index) => (index % 4 === 3 ? '}\n' : `line ${index}\n`))
    if (!newline) lines.push('end')
    return [lines, ...[ours, theirs].map((changes) => changes.reduce(change, lines))].map((side) => side.join('')) as [
      string,
      string,
      string,
    ]
  })

interface Edit {
  readonly at: number
  readonly remove: number
  readonly insert: readonly string[]
}
function edit(): fc.Arbitrary<Edit> {
  return fc.record({
    at: fc.nat(30),
    remove: fc.nat(2),
    insert: fc.array(fc.constantFrom('new\n', 'other\n', '}\n', 'x\r\n'), { maxLength: 2 }),
  })
}
function change(lines: readonly string[], { at, remove, insert }: Edit): string[] {
  return lines.toSpliced(Math.min(at, lines.length), remove, ...insert)
}

describe('text merge bounds', () => {
  const half = (sign: string) =>
    Array.from({ length: 20_000 }, (_, index) => (index % 2 ? `same ${index}` : `${sign} ${index}`)).join('\n')

  it('ends a comparison that takes too long, says so, and still turns one text into the other', {
    timeout: 20_000,
  }, async () => {
    await using textMerge = createTextMerge(workerPath)
    const shuffled = (seed: number) =>
      Array.from({ length: 60_000 }, (_, index) => `${(index * seed) % 9973}\n`).join('')
    const before = performance.now()
    const diff = await textMerge.hunks(shuffled(7), shuffled(7919), 3)
    expect(performance.now() - before).toBeLessThan(5000)
    expect(diff.approximate).toBe(true)
    expect(applyHunks(shuffled(7), diff)).toBe(shuffled(7919))
    expect((await textMerge.hunks('a\n', 'b\n', 3)).approximate).toBe(false)
    expect(diff.added).toBe(60_000)
  })

  it('gives up on a merge at its bound without blocking the process, and goes on with the next', {
    timeout: 20_000,
  }, async () => {
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
    expect(await textMerge.merge('a', 'b', 'a')).toBeNull()
    expect(await textMerge.hunks('a', 'b', 3)).toMatchObject({ approximate: true, added: 1, removed: 1 })
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
