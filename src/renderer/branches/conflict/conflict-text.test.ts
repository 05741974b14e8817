import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { conflictParts, joinParts } from './conflict-text.ts'

const texts = fc.array(fc.constantFrom('a', 'b', 'c', 'd', ''), { maxLength: 14 }).map((lines) => lines.join('\n'))

describe('the parts of a conflict', () => {
  it('are open where both sides differ, and merged around that', () => {
    expect(conflictParts('1\n2\n3\n4', '1\nmine\n3\n4', '1\nhers\n3\n4')).toEqual([
      { kind: 'settled', lines: ['1'] },
      { kind: 'open', base: ['2'], ours: ['mine'], theirs: ['hers'] },
      { kind: 'settled', lines: ['3', '4'] },
    ])
  })

  it('result in either whole side if everything is in conflict', () => {
    const parts = conflictParts('base', 'mine\nall', 'hers')
    expect(joinParts(parts, ['ours'])).toBe('mine\nall')
    expect(joinParts(parts, ['theirs'])).toBe('hers')
    expect(joinParts(parts, ['both'])).toBe('mine\nall\nhers')
  })

  it('neither add nor lose a line when both sides are taken', () => {
    const property = fc.property(texts, texts, texts, (base, ours, theirs) => {
      const parts = conflictParts(base, ours, theirs)
      const joined = joinParts(
        parts,
        parts.map(() => 'both'),
      ).split('\n')
      const [before, mine, hers] = [base, ours, theirs].map((text) => text.split('\n'))
      for (const line of joined) expect([...(mine ?? []), ...(hers ?? [])]).toContain(line)
      for (const line of [...(mine ?? []), ...(hers ?? [])]) if (!before?.includes(line)) expect(joined).toContain(line)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('take the changed side if the other did not change', () => {
    fc.assert(
      fc.property(texts, texts, (base, theirs) => {
        expect(joinParts(conflictParts(base, base, theirs), [])).toBe(theirs)
        expect(joinParts(conflictParts(base, theirs, base), [])).toBe(theirs)
      }),
    )
  })

  it('are found quickly in a long file with few differences', () => {
    const lines = Array.from({ length: 50_000 }, (_, index) => `line ${index}`)
    const side = (word: string) => lines.with(25_000, word).join('\n')
    const parts = conflictParts(lines.join('\n'), side('mine'), side('hers'))
    expect(parts.filter(({ kind }) => kind === 'open')).toEqual([
      { kind: 'open', base: ['line 25000'], ours: ['mine'], theirs: ['hers'] },
    ])
  })
})
