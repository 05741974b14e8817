import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pdfOf } from '#adapters/pdf/pdf-document.testkit.ts'
import { pdfReader, readInput } from './read-input.ts'

const readPdf = pdfReader(join(import.meta.dirname, '../../adapters/pdf/worker.ts'))
const read = (name: string, content: string | Uint8Array) =>
  readInput({ name, bytes: typeof content === 'string' ? new TextEncoder().encode(content) : content }, readPdf)

describe('an input', () => {
  it('of JSON is named by its fields, each with the beginning of its value', async () => {
    const input = await read('data.json', JSON.stringify({ name: 'x'.repeat(300), rows: [1, 2] }))
    expect(input).toMatchObject({ kind: 'json', file: 'data.json' })
    expect(input.about).toBe(`${input.text.length} characters`)
    expect(input.detail).toBe(`Fields:\n- name: "${'x'.repeat(199)}… (302 characters)\n- rows: [1,2]`)
  })

  it('of JSON records is named by all fields that they have', async () => {
    const { about, detail } = await read('list.json', '[{"id": 1}, {"id": 2, "note": "late"}]')
    expect(about).toContain('list of 2')
    expect(detail).toBe('Fields of the items, with the first value of each:\n- id: 1\n- note: "late"')
  })

  it('names at most fifty fields and counts the rest', async () => {
    const fields = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`f${index}`, index]))
    expect((await read('wide.json', JSON.stringify(fields))).detail).toMatch(/- f49: 49\n- and 10 more$/)
  })

  it('of CSV is named by its columns and rows, with quotes and line breaks in cells', async () => {
    const { kind, about, detail } = await read('a.csv', 'id,note\r\n1,"a, b"\r\n2,"two\nlines"\r\n\r\n3,c\r\n')
    expect([kind, about]).toEqual(['csv', '2 columns, 3 rows, separated by commas'])
    expect(detail).toBe('Columns, with their first values:\n- id: 1, 2, 3\n- note: a, b, two lines, c')
  })

  it('of CSV may be separated by semicolons or tabs', async () => {
    expect((await read('a.csv', 'a;b\n1;2\n')).about).toBe('2 columns, 1 row, separated by semicolons')
    expect((await read('a.tsv', 'a\tb\n1\t2\n')).about).toBe('2 columns, 1 row, separated by tabs')
  })

  it('of text is named by its length and first lines', async () => {
    const { kind, about, detail } = await read('notes.md', '\n# Title\n\nFirst\nSecond\nThird\n')
    expect([kind, about]).toEqual(['text', '29 characters, 6 lines'])
    expect(detail).toBe('It begins:\n> # Title\n> First\n> Second')
  })

  it('of a PDF is its text by pages', async () => {
    const input = await read('report.PDF', pdfOf(['Total 42'], ['End']))
    expect(input).toMatchObject({ kind: 'pdf', file: 'report.PDF.txt', detail: 'It begins:\n> Total 42\n> End' })
    expect(input.text).toBe('[Page 1]\nTotal 42\n\n[Page 2]\nEnd\n')
    expect(input.about).toBe('text of a PDF, 2 pages, 32 characters')
  })

  it('without an ending is JSON if it begins like it, and text otherwise', async () => {
    expect((await read('63', '{"a": 1}')).kind).toBe('json')
    expect((await read('63', 'plain')).kind).toBe('text')
    expect((await read('a.txt', '{"a": 1}')).kind).toBe('text')
  })

  it('of old encodings is read as Unicode', async () => {
    expect((await read('a.txt', new Uint8Array([0x47, 0x72, 0xfc, 0xdf, 0x65]))).text).toBe('Grüße')
    expect((await read('a.txt', new Uint8Array([0xff, 0xfe, 0x41, 0x00, 0xe4, 0x00]))).text).toBe('Aä')
    expect((await read('a.txt', new Uint8Array([0xef, 0xbb, 0xbf, 0x41]))).text).toBe('A')
  })

  it.each([
    ['../../etc/pass wd.txt', 'pass-wd.txt'],
    ['C:\\Users\\me\\Übersicht (neu).csv', 'Übersicht-neu.csv'],
    ['.env', 'env'],
    ['\u202etxt.exe', 'txt.exe'],
    ['   ', 'input'],
  ])('called %j gets the plain name %s', async (name, file) => {
    expect((await read(name, 'a,b\n1,2')).file).toBe(file)
  })
})

describe('an unusable input', () => {
  it.each([
    ['broken.json', '{"a": 1,}', 'broken.json: It is not JSON: Expected a name in double quotes in line 1, column 9.'],
    ['empty.csv', '', 'empty.csv: The file is empty.'],
    ['photo.heic', new Uint8Array([1, 0, 2]), 'photo.heic: It is not a text.'],
    ['scan.pdf', pdfOf([], []), 'scan.pdf: This PDF holds no text, only pictures of pages.'],
    ['not.pdf', 'no', 'not.pdf: It is not a readable PDF'],
    ['big.txt', new Uint8Array(20 * 1024 * 1024 + 1).fill(65), 'big.txt: It is larger than 20 MB.'],
  ])('such as %s is refused with the reason', async (name, content, message) => {
    await expect(read(name, content)).rejects.toThrow(message)
  })
})
