import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type ByteText, bytesToText, closestLines, replaceText, textToBytes } from './replace-text.ts'

const encode = (text: string): ByteText => bytesToText(new TextEncoder().encode(text))
const decode = (text: ByteText): string => new TextDecoder('utf-8', { ignoreBOM: true }).decode(textToBytes(text))
const edit = (old_string: string, new_string: string, replace_all = false) => ({ old_string, new_string, replace_all })

function replaced(text: string, ...given: Parameters<typeof edit>): string {
  const result = replaceText(encode(text), edit(...given))
  return result.ok ? decode(result.value.text) : `refused: ${result.error}`
}

const piece = fc.constantFrom('a', 'b', 'ab', '\n', ' ', 'é', '日本')
const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))

describe('a replacement', () => {
  it.each([
    ['one\r\ntwo\r\n', 'one\ntwo', '1\n2', '1\r\n2\r\n'],
    ['one\ntwo\n', 'one\ntwo', '1', '1\n'],
    ['\ufeffone\n', 'one', '1', '\ufeff1\n'],
    ['a$&b', '$&', '$1$$', 'a$1$$b'],
    ['no end', 'end', 'END\n', 'no END\n'],
    ['日本語', '本', 'x', '日x語'],
    ['x', 'x', '', ''],
  ])('in %j of %j by %j gives %j', (text, old, fresh, expected) => {
    expect(replaced(text, old, fresh)).toBe(expected)
  })

  it.each([
    ['a', '', 'b', 'old_string is empty.'],
    ['a', 'a', 'a', 'old_string and new_string are the same'],
    ['', 'a', 'b', 'old_string was not found.'],
    ['a a', 'a', 'b', 'old_string was found 2 times (lines 1, 1).'],
    ['a\nb\na\n', 'a', 'b', 'old_string was found 2 times (lines 1, 3).'],
    ['a\n'.repeat(30), 'a', 'b', '(lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, …)'],
  ])('in %j of %j by %j is refused', (text, old, fresh, reason) => {
    expect(replaced(text, old, fresh)).toContain(`refused: `)
    expect(replaced(text, old, fresh)).toContain(reason)
  })

  it('replaces exactly what a search finds, all or one, and changes nothing else', () => {
    const property = fc.property(anyText, anyText, anyText, fc.boolean(), (text, old, fresh, all) => {
      fc.pre(old !== '' && old !== fresh && !text.includes('\r'))
      const result = replaceText(encode(text), edit(old, fresh, all))
      const found = text.split(old).length - 1
      expect(result.ok).toBe(found === 1 || (all && found > 0))
      if (!result.ok) return
      expect(decode(result.value.text)).toBe(text.split(old).join(fresh))
      let at = -1
      const lines = Array.from({ length: found }, () => {
        at = text.indexOf(old, at < 0 ? 0 : at + old.length)
        return text.slice(0, at).split('\n').length
      })
      expect(result.value.lines).toEqual(lines)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('leaves every byte outside the match unchanged, whatever the encoding', () => {
    const property = fc.property(
      fc.uint8Array({ maxLength: 40 }),
      fc.uint8Array({ maxLength: 40 }),
      (before, after) => {
        const marker = new TextEncoder().encode('MARK')
        const text = bytesToText(Uint8Array.of(...before, ...marker, ...after))
        fc.pre(text.split('MARK').length === 2)
        const result = replaceText(text, edit('MARK', 'new'))
        if (!result.ok) throw new Error(result.error)
        expect([...textToBytes(result.value.text)]).toEqual([...before, ...new TextEncoder().encode('new'), ...after])
      },
    )
    fc.assert(property, { numRuns: 300 })
  })

  it('keeps the bytes of long text', () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256)
    expect(Buffer.from(textToBytes(bytesToText(bytes))).equals(Buffer.from(bytes))).toBe(true)
  })
})

describe('the closest lines', () => {
  it('are the few that resemble the first wanted line, in their order', () => {
    const text =
      'const total = sum(a, b)\nreturn nothing\n  const total = sum(a, c)\r\nconst total = sum(b)\nconst total = sun(a, b)\n'
    expect(closestLines(text, '\n  const total = sum(a, d)\nmore')).toBe(
      ' The closest lines are:\n1\tconst total = sum(a, b)\n3\t  const total = sum(a, c)\n4\tconst total = sum(b)',
    )
  })

  it('are empty when no line resembles it or it is empty', () => {
    expect(closestLines('completely other\n', 'const total')).toBe(
      ' No line of the file resembles it; read the file again.',
    )
    expect(closestLines('anything', ' \n\t')).toBe('')
  })
})
