import { describe, expect, it } from 'vitest'
import { testTextMerge } from '../../tree/tree-fixtures.testkit.ts'
import { assemble, composeSegments, hunksOf, textFrom, variantsOf } from './segments.ts'

const lines = (changed: Readonly<Record<number, string>> = {}) =>
  Array.from({ length: 12 }, (_, index) => changed[index] ?? `${index}\n`).join('')

const segmentsOf = (base: string, ...texts: readonly string[]) =>
  composeSegments(
    base,
    texts.map((text, source) => ({ source, text })),
    testTextMerge,
  )
const textOf = async (base: string, texts: readonly string[], picks: Parameters<typeof assemble>[1]) =>
  assemble(await segmentsOf(base, ...texts), picks)
    ?.map(({ text }) => text)
    .join('')

describe('hunks of several versions', () => {
  it('are one where changes touch or are near, and apart else', async () => {
    const hunks = hunksOf(await segmentsOf(lines(), lines({ 1: 'A\n' }), lines({ 3: 'B\n', 10: 'C\n' })))
    expect(hunks.map(({ base, changes }) => [base.length, changes.map(({ source }) => source)])).toEqual([
      [3, [0, 1]],
      [1, [1]],
    ])
  })

  it('have both changes together only where they do not overlap', async () => {
    const [near] = hunksOf(await segmentsOf(lines(), lines({ 1: 'A\n' }), lines({ 2: 'B\n' })))
    expect(near && textFrom(near, [1, 0])).toBe('A\nB\n')
    const [same] = hunksOf(await segmentsOf(lines(), lines({ 1: 'A\n' }), lines({ 1: 'B\n' })))
    expect(same && textFrom(same, [0, 1])).toBeNull()
    const [added] = hunksOf(await segmentsOf(lines(), lines({ 1: '1\nA\n' }), lines({ 1: '1\nB\n' })))
    expect(added && textFrom(added, [0, 1])).toBeNull()
  })

  it('have one variant for versions that did the same', async () => {
    const [hunk] = hunksOf(await segmentsOf(lines(), lines({ 1: 'A\n' }), lines({ 1: 'B\n' }), lines({ 1: 'A\n' })))
    expect(hunk && variantsOf(hunk)).toEqual([
      { sources: [0, 2], text: 'A\n' },
      { sources: [1], text: 'B\n' },
    ])
    expect(hunk && textFrom(hunk, [0, 2])).toBe('A\n')
  })

  it('never join a last line without an end to another one', async () => {
    const base = 'a\nb\n'
    const [hunk] = hunksOf(await segmentsOf(base, 'a\nB', 'a\nb\nc\n'))
    expect(hunk && textFrom(hunk, [0, 1])).toBeNull()
    expect(hunk && variantsOf(hunk).map(({ text }) => text)).toEqual(['B', 'b\nc\n'])
  })

  it('keep line ends, and end lines that a person wrote as the file does', async () => {
    const crlf = lines().replaceAll('\n', '\r\n')
    const changed = crlf.replace('1\r\n', 'A\r\n')
    expect(await textOf(crlf, [changed], [{ from: [0] }])).toBe(changed)
    expect(await textOf(crlf, [changed], [{ text: 'hand' }])).toBe(crlf.replace('1\r\n', 'hand\r\n'))
    expect(await textOf('a\n', ['b'], [{ text: 'hand' }])).toBe('hand')
  })
})
