import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Blocks, splitBlocks } from './blocks.ts'

const texts = (text: string): readonly string[] => splitBlocks(text, null).blocks.map((block) => block.text)
const kinds = (text: string): readonly string[] => splitBlocks(text, null).blocks.map(({ kind }) => kind)
const sentence = 'It was a sentence of some words. '

describe('blocks of Markdown', () => {
  it('takes the lines of a code fence, closed or not', () => {
    const blocks = splitBlocks('a\n\n```ts\nx\n\ny\n```\n\nb', null).blocks
    expect(blocks.filter(({ kind }) => kind === 'code').map(({ text }) => text)).toEqual(['x\n\ny'])
    expect(blocks.at(0)?.text.trim()).toBe('a')
    expect(blocks.at(-1)?.text.trim()).toBe('b')
    expect(texts('```\nx\ny')).toEqual(['x\ny'])
    expect(texts('````\n```\nx\n```\n````')).toEqual(['```\nx\n```'])
  })

  it('keeps a fence inside a list in its list', () => {
    expect(kinds('- a\n  ```\n  x\n  ```\n- b')).toEqual(['prose'])
  })

  it('splits prose at empty lines, and keeps a list with what belongs to its items', () => {
    const list = '- one\n\n  more of it\n\n- two'
    const whole = `# A heading\n\nA sentence.\n\n\n${list}\n\nThe end.`
    expect(texts(whole)).toEqual(['# A heading', 'A sentence.', list, 'The end.'])
  })

  it('keeps a fence that stands to the right with its empty lines', () => {
    const fence = 'Before.\n\n  ```py\nx = 1\n\ny = 2\n  ```'
    expect(texts(`${fence}\n\nAfter.\n\nThe end.`)).toEqual([fence, 'After.', 'The end.'])
    expect(texts('  ```in one line```\n\nAfter.')).toEqual(['  ```in one line```', 'After.'])
  })

  it('keeps a text whole in which a link is defined elsewhere', () => {
    const text = 'See [this].\n\nMore.\n\n[this]: https://example.com'
    expect(texts(text)).toEqual([text])
  })

  it('splits a long paragraph after sentences, never inside emphasis', () => {
    const parts = texts(`${sentence.repeat(90)}**${sentence.repeat(3)}bold** ${sentence.repeat(200)}`)
    expect(parts.length).toBeGreaterThan(2)
    for (const part of parts) expect(part.split('**').length % 2).toBe(1)
    for (const part of parts.slice(0, -1)) expect(part).toMatch(/\.$/)
  })

  it('keeps the blocks of the earlier text', () => {
    const before = splitBlocks('one\n\ntwo\n\nthree\n\nfour\n\nfive', null)
    const after = splitBlocks(`${before.text} six`, before)
    expect(after.blocks[0]).toBe(before.blocks[0])
    expect(after.blocks.at(-1)?.text).toBe('five six')
  })
})

const piece = fc.constantFrom(
  'word ',
  '**bold** ',
  '\n',
  '\n\n',
  '```\n',
  '- item\n',
  '  more\n',
  '| a | b |\n| - | - |\n',
  '# Title\n',
  '~~~\n',
  sentence.repeat(70),
)

it('gives a text that grew the same blocks as the whole text at once', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (parts) => {
      let grown: Blocks | null = null
      let text = ''
      for (const part of parts) {
        text += part
        grown = splitBlocks(text, grown)
      }
      expect(grown?.blocks ?? []).toEqual(splitBlocks(text, null).blocks)
    }),
  )
})
