import { execFileSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, it } from 'vitest'
import { createTextMerge } from './text-merge.ts'

const merge = createTextMerge(join(import.meta.dirname, 'worker.ts'))
afterAll(() => merge[Symbol.dispose]())
const folder = mkdtempSync(join(tmpdir(), 'coppice-text-'))

/** What git makes of it: the joined text, or null when it sees a conflict. */
function gitMerge(base: string, ours: string, theirs: string): string | null {
  const [o, b, t] = Object.entries({ ours, base, theirs }).map(([name, text]) => {
    const file = join(folder, name)
    writeFileSync(file, text)
    return file
  })
  try {
    return execFileSync('git', ['merge-file', '-p', '-q', o ?? '', b ?? '', t ?? '']).toString()
  } catch {
    return null
  }
}

describe('text merge', () => {
  it('joins changes of different lines and keeps line ends and the missing last one', async () => {
    const base = 'a\r\nb\nc\nd\ne'
    expect(await merge.merge(base, base.replace('a', 'A'), base.replace('e', 'E'))).toEqual({ text: 'A\r\nb\nc\nd\nE' })
  })

  it('gives a conflict back when both sides changed a line differently, and takes equal changes', async () => {
    expect(await merge.merge('a\n', 'b\n', 'c\n')).toBeNull()
    expect(await merge.merge('a\n', 'b\n', 'b\n')).toEqual({ text: 'b\n' })
  })

  it('gives the text that git gives wherever both find no conflict', async () => {
    const line = fc.constantFrom('one\n', 'two\n', 'three\n', 'four\n', 'five\n')
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(''))
    let clean = 0
    await fc.assert(
      fc.asyncProperty(text, text, text, async (base, ours, theirs) => {
        const mine = await merge.merge(base, ours, theirs)
        const git = gitMerge(base, ours, theirs)
        if (mine === null || git === null) return
        clean += 1
        expect(mine.text).toBe(git)
      }),
      { numRuns: 200 },
    )
    expect(clean).toBeGreaterThan(0)
  })

  it('compares in the worker as it does at once', async () => {
    const before = Array.from({ length: 3_000 }, (_, index) => `line ${index}\n`).join('')
    const after = before.replace('line 1500\n', 'changed\n')
    const diff = await merge.hunks(before, after, 1)
    expect(diff).toMatchObject({ added: 1, removed: 1, approximate: false })
    expect(diff.hunks[0]?.lines).toEqual([' line 1499', '-line 1500', '+changed', ' line 1501'])
  })

  it('numbers an empty side as unified diffs do', async () => {
    const { hunks } = await merge.hunks('', 'a\n', 3)
    expect(hunks).toEqual([{ oldStart: 0, oldLines: 0, newStart: 1, newLines: 1, lines: ['+a'] }])
  })
})
