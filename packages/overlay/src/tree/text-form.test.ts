import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { processorTime } from '../ports/processor-time.testkit.ts'
import { fitLineEnds } from './line-ends.ts'
import { readText, rewriteText, shownText, writeText } from './text-form.ts'

const line = fc.constantFrom('', 'a', 'b', '}', 'é', '日本', '𝄞')
const lineEnd = fc.constantFrom('\n', '\r\n')
const endsOf = fc.constantFrom<readonly string[]>(['\n'], ['\r\n'], ['\r'], ['\n', '\r\n'])

/** Texts whose line ends are all of one kind, or mixed, with and without one at the end. */
const text = endsOf.chain((ends) =>
  fc
    .tuple(fc.array(fc.tuple(line, fc.constantFrom(...ends)), { maxLength: 12 }), line)
    .map(([lines, last]) => lines.map((one) => one.join('')).join('') + last),
)
const bytes = fc
  .tuple(text, fc.constantFrom('utf-8', 'utf-16le', 'utf-16be', 'bytes'), fc.boolean())
  .map(([text, encoding, marked]) => {
    if (encoding === 'bytes') return Uint8Array.of(0xe9, ...writeText({ encoding: 'utf-8', text }), 0x80)
    const lead = marked || encoding !== 'utf-8' ? '\ufeff' : ''
    return writeText({ encoding: encoding as 'utf-8', text: lead + text })
  })

/** As readers show a file, without its mark. */
function shown(before: Uint8Array): string {
  const found = readText(before)
  if (!found) throw new Error('The file is no text.')
  return shownText(found).replace(/^\ufeff/, '')
}

const rewritten = (before: string, fresh: string): string => {
  const done = rewriteText(new TextEncoder().encode(before), fresh)
  return done.ok ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(done.value) : done.error
}

describe('the text of a file', () => {
  it('gives the same bytes again, whatever they are', () => {
    const any = fc.oneof(bytes, fc.uint8Array({ maxLength: 20 }))
    fc.assert(
      fc.property(any, (before) => {
        const found = readText(before)
        if (found) expect(writeText(found)).toEqual(before)
        else expect(before).toContain(0)
      }),
      { numRuns: 500 },
    )
  })

  it('is written back without a change, in every encoding and with all line ends, or refused', () => {
    fc.assert(
      fc.property(bytes, (before) => {
        const done = rewriteText(before, shown(before))
        if (done.ok) expect(done.value).toEqual(before)
        else expect(readText(before)?.encoding).toBe('bytes')
      }),
      { numRuns: 500 },
    )
  })

  it('keeps the ends of unchanged lines, and gives new ones the only kind that the file has', () => {
    const property = fc.property(text, text, fc.nat(), fc.nat(), (before, fresh, one, other) => {
      const places = [one, other].map((at) => at % (before.length + 1)).sort((a, b) => a - b)
      const [start = 0, end = 0] = places
      fc.pre(!before.slice(start - 1, start + 1).includes('\r\n') && !before.slice(end - 1, end + 1).includes('\r\n'))
      const plain = fresh.replaceAll('\r', '')
      const fitted = fitLineEnds(before)(start, end, plain)
      expect(fitted.replace(/\r\n?/g, '\n')).toBe(plain)
      const known = new Set(before.match(/\r\n|\n|\r/g))
      if (known.size > 0) for (const kind of fitted.match(/\r\n|\n|\r/g) ?? []) expect(known).toContain(kind)
    })
    fc.assert(property, { numRuns: 500 })
  })

  it('keeps mixed line ends around each of its changes', () => {
    const lines = fc.array(fc.tuple(fc.integer(), lineEnd), { minLength: 3, maxLength: 12 })
    const property = fc.property(lines, fc.nat(), fc.constantFrom('new', 'new\nnewer', null), (lines, at, fresh) => {
      const unique = lines.map(([, end], index) => ({ content: `line ${index}`, end }))
      const place = at % unique.length
      const before = unique.map(({ content, end }) => content + end)
      const plain = unique.map(({ content }) => `${content}\n`)
      const after = rewritten(
        before.join(''),
        plain.toSpliced(place, 1, ...(fresh === null ? [] : [`${fresh}\n`])).join(''),
      )
      expect(after.startsWith(before.slice(0, place).join(''))).toBe(true)
      expect(after.endsWith(before.slice(place + 1).join(''))).toBe(true)
    })
    fc.assert(property, { numRuns: 300 })
  })

  it.each([
    ['a\r\nb\nc\r\n', 'a\nB\nc\n', 'a\r\nB\nc\r\n'],
    ['a\r\nb\nc', 'a\nb\nc\nd\n', 'a\r\nb\nc\nd\n'],
    ['a\r\nb\r\n', 'a\nb\nc\n', 'a\r\nb\r\nc\r\n'],
    ['a\nb\n', 'a\r\nb\r\nc\r\n', 'a\nb\nc\n'],
    ['a\rb\r', 'a\nb\nc\n', 'a\rb\rc\r'],
    ['\ufeffa\r\n', 'b\nc\n', '\ufeffb\r\nc\r\n'],
    ['\ufeffa\n', '\ufeffb\n', '\ufeffb\n'],
    ['one line', 'two\r\nlines\n', 'two\r\nlines\n'],
    ['', '\ufeffany\r\n', '\ufeffany\r\n'],
    ['50%\r100%\n', '1%\r2%\n', '1%\r2%\n'],
  ])('%j rewritten as %j is %j', (before, fresh, expected) => {
    expect(rewritten(before, fresh)).toBe(expected)
  })

  it('is none in UTF-32, and is replaced as a whole', () => {
    const wide = Uint8Array.of(0xff, 0xfe, 0, 0, 0x61, 0, 0, 0, 0x0a, 0, 0, 0)
    expect(readText(wide)).toBeUndefined()
    expect(rewriteText(wide, 'x\n')).toEqual({ ok: true, value: new TextEncoder().encode('x\n') })
  })

  it('takes only ASCII in an unknown encoding', () => {
    const latin = Uint8Array.of(0x63, 0xe9, 0x0d, 0x0a)
    expect(rewriteText(latin, 'x\ny\n')).toEqual({ ok: true, value: new TextEncoder().encode('x\r\ny\r\n') })
    expect(rewriteText(latin, 'cé\n')).toMatchObject({ ok: false })
  })

  it('is fitted in a time that grows with its length', () => {
    const many = `${'}\n'.repeat(50_000)}x\r\n`
    let fitted = ''
    const taken = processorTime(() => {
      fitted = rewritten(many, `y\n${'\n}\n'.repeat(50_000)}`)
    })
    expect(fitted.length).toBeGreaterThan(100_000)
    expect(taken).toBeLessThan(2_000)
  })
})
