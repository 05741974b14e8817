import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FormedText, readText, writeText } from '#overlay'
import { closestLines, replaceText } from './replace-text.ts'

const encode = (text: string): FormedText => ({ encoding: 'utf-8', text })
const decode = ({ text }: FormedText): string => text
const edit = (old_string: string, new_string: string, replace_all = false) => ({ old_string, new_string, replace_all })

function replaced(text: string, ...given: Parameters<typeof edit>): string {
  const result = replaceText(encode(text), edit(...given))
  return result.ok ? decode(result.value.text) : `refused: ${result.error}`
}

/** Lone carriage returns count only in a text without line feeds. */
const ends = (text: string): readonly string[] => text.match(/\r?\n/g) ?? text.match(/\r/g) ?? []

const piece = fc.constantFrom('a', 'b', 'ab', '\n', ' ', 'é', '日本')
const anyText = fc.array(piece, { maxLength: 12 }).map((parts) => parts.join(''))

describe('a replacement', () => {
  it.each([
    ['one\r\ntwo\r\n', 'one\ntwo', '1\n2', '1\r\n2\r\n'],
    ['one\ntwo\n', 'one\ntwo', '1', '1\n'],
    ['one\r\ntwo\r\n', 'two', 'two\nthree', 'one\r\ntwo\r\nthree\r\n'],
    ['one\rtwo\r', 'one\ntwo', '1\n2', '1\r2\r'],
    ['one\r\ntwo\nthree\r\n', 'one\ntwo\nthree', 'one\n2\nthree', 'one\r\n2\nthree\r\n'],
    ['one\r\ntwo\n', 'two', 'two\nthree', 'one\r\ntwo\nthree\n'],
    ['one\n', 'one\n', 'one\r\n', 'one\r\n'],
    ['one\r\ntwo\r\n', 'one\r\n', 'one\n', 'one\ntwo\r\n'],
    ['one\n', 'one', '1\r\n2', '1\n2\n'],
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
    ['a\nb\na\r\nb\n', 'a\nb', 'b', 'old_string was found 2 times (lines 1, 3).'],
    ['a\nb\n', 'a\r\nb', 'b', 'old_string was not found.'],
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

  it('leaves every byte outside the match unchanged, whatever the encoding and line ends', () => {
    const part = fc.array(fc.oneof(piece, fc.constantFrom('\r\n', '\r')), { maxLength: 8 }).map((all) => all.join(''))
    const form = fc.constantFrom('utf-8', 'marked', 'utf-16le', 'utf-16be', 'bytes')
    const property = fc.property(
      part,
      part,
      form,
      fc.constantFrom('new', 'x\ny\n', ''),
      (before, after, form, fresh) => {
        const lead = form === 'utf-8' || form === 'bytes' ? '' : '\ufeff'
        const encoding = form === 'marked' ? 'utf-8' : form
        const bytesOf = (text: string) => [...writeText({ encoding: encoding === 'bytes' ? 'utf-8' : encoding, text })]
        const broken = form === 'bytes' ? [0xff] : []
        const [head, tail] = [[...broken, ...bytesOf(lead + before)], bytesOf(after)]
        const file = readText(Uint8Array.from([...head, ...bytesOf('MARK'), ...tail]))
        const result = file && replaceText(file, edit('MARK', fresh))
        if (!result?.ok) throw new Error(result?.error ?? 'no text')
        const bytes = [...writeText(result.value.text)]
        expect(bytes.slice(0, head.length)).toEqual(head)
        expect(bytes.slice(bytes.length - tail.length)).toEqual(tail)
        const inserted = String.fromCharCode(
          ...bytes.slice(head.length, bytes.length - tail.length).filter((byte) => byte > 0),
        )
        expect(inserted.replace(/\r\n?/g, '\n')).toBe(fresh)
        const known = new Set(ends(`${before}MARK${after}`))
        if (known.size > 0) for (const end of ends(inserted)) expect(known).toContain(end)
      },
    )
    fc.assert(property, { numRuns: 500 })
  })

  it('finds what readers show as plain line feeds, each where it is', () => {
    const lines = fc.array(fc.tuple(fc.constantFrom('a', 'b', ''), fc.constantFrom('\n', '\r\n')), { maxLength: 10 })
    const property = fc.property(lines, fc.constantFrom('a\n', '\nb', 'a\nb', '\n\n'), (lines, wanted) => {
      const plain = lines.map(([content]) => `${content}\n`).join('')
      const result = replaceText(encode(lines.map((line) => line.join('')).join('')), edit(wanted, 'x', true))
      expect(result.ok).toBe(plain.includes(wanted))
      if (result.ok) expect(decode(result.value.text).replaceAll('\r\n', '\n')).toBe(plain.replaceAll(wanted, 'x'))
    })
    fc.assert(property, { numRuns: 300 })
  })

  it('takes only ASCII where the encoding is not known, unless what it replaces is UTF-8', () => {
    const latin: FormedText = { encoding: 'bytes', text: 'caf\xe9 x\n' }
    expect(replaceText(latin, edit('x', 'é'))).toMatchObject({ ok: false, error: expect.stringContaining('encoding') })
    expect(replaceText(latin, edit('x', 'y'))).toMatchObject({ value: { text: { text: 'caf\xe9 y\n' } } })
    const faulty: FormedText = { encoding: 'bytes', text: '\xff \xc3\xa9\n' }
    expect(replaceText(faulty, edit('é', 'éé'))).toMatchObject({ value: { text: { text: '\xff \xc3\xa9\xc3\xa9\n' } } })
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
