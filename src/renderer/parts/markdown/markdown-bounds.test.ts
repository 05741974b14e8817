import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { splitBlocks } from './blocks.ts'
import { hostileMarkdown } from './hostile-markdown.testkit.ts'
import { exceedsBounds, markdownBounds } from './markdown-bounds.ts'

const guide = 'docs/guide'

it('takes ordinary texts as Markdown', () => {
  const pages = readdirSync(guide, { recursive: true }).map(String)
  const texts = [
    ...pages.filter((name) => name.endsWith('.md')).map((name) => readFileSync(join(guide, name), 'utf8')),
    `\`\`\`c\n${'  a[i] = **b * *c;\n'.repeat(2_000)}\`\`\`\nend`,
    '- item\n  - item\n    - item\n      1. item\n         > quoted\n',
    `| a | b |\n| - | - |\n${'| **x** | [y](z) |\n'.repeat(3_000)}`,
    'some_long_name '.repeat(5_000),
    `${' '.repeat(60)}- far right`,
    `${'*a* '.repeat(400)}\n\n`.repeat(40),
  ]
  expect(texts.length).toBeGreaterThan(8)
  expect(texts.filter(exceedsBounds)).toEqual([])
})

it('finds text beyond each bound', () => {
  const { containers, indent, marks, characters, lazyLines } = markdownBounds
  const atBound = ['> '.repeat(containers), ' '.repeat(indent), '['.repeat(marks), 'x'.repeat(characters)]
  const beyond = [
    '> '.repeat(containers + 1),
    ' '.repeat(indent + 1),
    '['.repeat(marks + 1),
    'x'.repeat(characters + 1),
  ]
  expect(atBound.map(exceedsBounds)).toEqual([false, false, false, false])
  expect(beyond.map(exceedsBounds)).toEqual([true, true, true, true])
  expect(exceedsBounds('[a\n'.repeat(marks + 1))).toBe(true)
  for (const mark of ['> ', '- ', '1. ']) {
    expect(exceedsBounds(`${mark}a\n${'b\n'.repeat(lazyLines)}\n${'b\n'.repeat(lazyLines)}`)).toBe(false)
    expect(exceedsBounds(`${mark}a\n${'b\n'.repeat(lazyLines + 1)}`)).toBe(true)
  }
})

// `splitBlocks` would overflow the stack if it gave such a text to the splitter.
it.each(Object.entries(hostileMarkdown))('splits %s into blocks', (_, make) => {
  const { blocks } = splitBlocks(make(4_000), null)
  expect(blocks.some((block) => block.text.trim() !== '')).toBe(true)
})
