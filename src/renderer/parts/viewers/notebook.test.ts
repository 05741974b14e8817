import fc from 'fast-check'
import { expect, it } from 'vitest'
import { compareCells, compareFacts, readNotebook } from './notebook.ts'

const cell = (source: string, id?: string) => ({ cell_type: 'code', source: [source], outputs: [], ...(id && { id }) })
const book = (...cells: readonly object[]) => readNotebook(JSON.stringify({ cells }))?.cells ?? []

it('pairs cells by id, and says which are new, gone and changed', () => {
  const before = book(cell('one', 'a'), cell('two', 'b'), cell('three', 'c'))
  const after = book(cell('one', 'a'), cell('new', 'd'), cell('THREE', 'c'))
  expect(compareCells(before, after).map(({ kind, before, after }) => [kind, (after ?? before)?.id])).toEqual([
    ['same', 'a'],
    ['removed', 'b'],
    ['added', 'd'],
    ['changed', 'c'],
  ])
})

it('keeps every cell of both versions, also without ids', () => {
  const cells = fc.array(
    fc.constantFrom('a', 'b', 'c').map((source) => cell(source)),
    { maxLength: 8 },
  )
  fc.assert(
    fc.property(cells, cells, (old, fresh) => {
      const [before, after] = [book(...old), book(...fresh)]
      const changes = compareCells(before, after)
      expect(changes.flatMap(({ after: one }) => one ?? [])).toEqual(after)
      expect(new Set(changes.flatMap(({ before: one }) => one ?? []))).toEqual(new Set(before))
    }),
  )
})

it('shows text, errors and pictures of outputs, and nothing that could act', () => {
  const outputs = [
    { output_type: 'stream', text: ['a\n', 'b'] },
    { output_type: 'error', evalue: 'x', traceback: ['\u001b[31mError\u001b[0m'] },
    { output_type: 'display_data', data: { 'image/png': 'aGk=\n', 'text/html': '<script>alert(1)</script>' } },
    { output_type: 'display_data', data: { 'image/png': '"><script>', 'text/html': '<b>' } },
    { output_type: 'display_data', data: { 'image/svg+xml': '<svg onload=alert(1)>' } },
  ]
  expect(book({ ...cell('x'), outputs })[0]?.outputs).toEqual([
    { kind: 'text', text: 'a\nb' },
    { kind: 'error', text: 'Error' },
    { kind: 'image', mediaType: 'image/png', base64: 'aGk=' },
    { kind: 'hidden', mediaType: 'image/png' },
    { kind: 'hidden', mediaType: 'image/svg+xml' },
  ])
})

it('reads no notebook from other texts', () => {
  for (const text of ['', '{', '[]', '{"cells": 3}', 'null', '{"cells":[1]}']) expect(readNotebook(text)).toBeNull()
})

it('finds what changed beside the sources: metadata, counts, and outputs that are not shown', () => {
  const kernel = (version: string, cells: readonly object[] = []) => {
    const read = readNotebook(
      JSON.stringify({
        cells,
        nbformat: 4,
        metadata: { kernelspec: { display_name: `Python ${version}` }, tags: ['a'], language_info: { version } },
      }),
    )
    return read?.facts ?? new Map()
  }
  expect(compareFacts(kernel('3.9'), kernel('3.11'))).toEqual([
    { name: 'kernelspec.display_name', before: 'Python 3.9', after: 'Python 3.11' },
    { name: 'language_info.version', before: '3.9', after: '3.11' },
  ])
  const html = (text: string) => ({
    ...cell('x', 'a'),
    outputs: [{ output_type: 'display_data', data: { 'text/html': text } }],
  })
  expect(compareCells(book(html('<b>1</b>')), book(html('<b>2</b>')))).toMatchObject([{ kind: 'changed' }])
  expect(compareCells(book({ ...cell('x', 'a'), execution_count: 1 }), book(cell('x', 'a')))).toMatchObject([
    { kind: 'changed' },
  ])
})

it('pairs cells with the same id in order, and hides no change of them', () => {
  const before = book(cell('x', 'z'), cell('one', 'a'), cell('two', 'a'))
  const after = book(cell('x', 'z'), cell('two', 'a'), cell('two', 'a'))
  expect(compareCells(before, after).map(({ kind }) => kind)).toEqual(['same', 'changed', 'same'])
})

it('counts a moved cell and another attachment as a change', () => {
  const [a, b, c] = [cell('one', 'a'), cell('two', 'b'), cell('three', 'c')]
  const moves = compareCells(book(a, b, c), book(c, a, b))
  expect(moves.map(({ kind, moved }) => [kind, moved])).toEqual([
    ['changed', true],
    ['same', false],
    ['same', false],
  ])
  const picture = (content: string) => book({ ...cell('x', 'a'), attachments: { 'a.png': { 'image/png': content } } })
  expect(compareCells(picture('aGk='), picture('aGo='))).toMatchObject([{ kind: 'changed', moved: false }])
})

it('compares 40,000 cells without ids at once', () => {
  const cells = (first: number) =>
    book(...Array.from({ length: 40_000 }, (_, at) => cell(at % 2 ? '' : `${first + at}`)))
  const [before, after] = [cells(0), cells(20_000)]
  const start = process.cpuUsage()
  const changes = compareCells(before, after)
  expect(process.cpuUsage(start).user).toBeLessThan(2_000_000)
  expect(changes.length).toBeGreaterThan(40_000)
})
