import { describe, expect, it } from 'vitest'
import { signatureOf } from './grams.ts'
import { mayMatch, requirementOf } from './required-grams.ts'

const query = { literal: false, caseInsensitive: false, multiline: false }

/** Whether a text with this content may match. Null when nothing is required. */
function judge(pattern: string, text: string | Uint8Array, options: Partial<typeof query> = {}): boolean | null {
  const requirement = requirementOf({ ...query, pattern, ...options })
  const signature = signatureOf(Buffer.from(text as string))
  return requirement === null ? null : signature === null || mayMatch(requirement, signature)
}

describe('what a text must hold to match', () => {
  it.each([
    ['needle', 'a needle', 'a noodle'],
    ['foo+barn|needle', 'needle', 'foo baz'],
    ['(?:import|export) \\w+ needle', 'export x needle', 'x needle'],
    ['(?P<name>needle)+\\(', 'needleneedle(', 'need('],
    ['a\\.needle\\[0\\]', 'a.needle[0]', 'a-needle(0)'],
    ['[a-z\\]]needle', 'xneedle', 'xneed'],
    ['[]a]needle', ']needle', ']need'],
    ['[[:alpha:]x]needle', 'xneedle', 'xneed'],
    ['needle{2}', 'needlee', 'needl'],
    ['éclair', 'an éclair', 'an eclair'],
  ])('%s: may match %j, but not %j', (pattern, holding, lacking) => {
    expect([judge(pattern, holding), judge(pattern, lacking)]).toEqual([true, false])
  })

  // Nothing is known of a part that may be missing, of too short parts, and of syntax that the reader does not know.
  it.each([
    ...['a|needle', '(needle)?', '(needle)*', 'needle{0,3}', 'needl?', 'abc', '\\w+', '[needle]', '(?i)needle', ''],
    ...['\\x6eeedle', '\\p{L}eedle', 'needle(', 'needle)', 'needle[', '*needle', 'needle\nneedle', '\\b{start}needle'],
  ])('%j: nothing that is certain, or less than the whole', (pattern) => {
    expect(judge(pattern, 'needl')).not.toBe(false)
  })

  it('takes literals as they are, and does not mind the case', () => {
    expect(judge('a(b[c', 'xa(b[c', { literal: true })).toBe(true)
    expect(judge('a(b[c', 'xa(b(c', { literal: true })).toBe(false)
    expect(judge('NEEDLE', 'needle', { caseInsensitive: true })).toBe(true)
  })

  // Notices a reader that keeps letters outside ASCII, and signatures that leave out the Kelvin sign or the long s.
  it('knows that letters outside ASCII have other bytes in another case', () => {
    expect(judge('éclair', 'ÉCLAIR', { caseInsensitive: true })).toBe(true)
    expect(judge('éclair', 'éclipse', { caseInsensitive: true })).toBe(false)
    expect(judge('kelvin', '\u212aelvin', { caseInsensitive: true })).toBe(true)
    expect(judge('sharp', '\u017fharp', { caseInsensitive: true })).toBe(true)
  })

  it('says nothing of UTF-16, which the engine decodes', () => {
    expect(judge('needle', Buffer.from('\ufeffneedle', 'utf16le'))).toBe(true)
    expect(judge('needle', Buffer.from('\ufeffneedle', 'utf16le').swap16())).toBe(true)
  })

  it('bounds what it looks up', () => {
    const many = Array.from({ length: 1_000 }, (_, number) => `needle${number}`).join('|')
    expect(requirementOf({ ...query, pattern: many })).toBeNull()
    expect(requirementOf({ ...query, pattern: `${'('.repeat(1_000)}needle${')'.repeat(1_000)}` })).toBeNull()
    expect(JSON.stringify(requirementOf({ ...query, pattern: 'abcdefgh'.repeat(5_000) })).length).toBeLessThan(4_000)
  })
})
