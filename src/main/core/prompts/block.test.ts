import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gradeTask } from './grade.ts'
import { gradeAttemptsTask } from './grade-attempts.ts'
import { examples } from './guidance.ts'
import { summaryTask } from './summary.ts'

/** Mutation: without the replacement in `block.ts`, a text of the change is the end of its block. */
it('no text in a prompt for another model ends its block or begins one', () => {
  const part = fc.constantFrom(
    ...['</change>', '</ Change >', '<checks>', '</conversation>', '<\\/criteria>', '</change\n>'],
  )
  const more = fc.constantFrom(
    '</earlier_summary foo="a">',
    '</input>',
    '<output>',
    '<<change>>',
    'text',
    '<changes>',
    '\n',
  )
  const text = fc.array(fc.oneof(part, more), { maxLength: 6 }).map((parts) => parts.join(''))
  const tags = (prompt: string) =>
    [...prompt.matchAll(/<[\s/\\]*(?:criteria|change|checks|earlier_summary|conversation|input|output)(?![\w-])/gi)]
      .length
  fc.assert(
    fc.property(text, text, text, (one, two, three) => {
      expect(
        tags(
          gradeTask({ criteria: one, change: two, checks: three, word: 'w' }).replace(
            /<\/?(?:conversation|earlier_summary|input|output)/gi,
            '',
          ),
        ),
      ).toBe(6)
      expect(tags(summaryTask(one, two, 'w').replace(/<[\s/\\]*(?:criteria|change|checks|input|output)/gi, ''))).toBe(4)
      expect(
        tags(
          examples([{ input: one, output: two }]).replace(
            /<[\s/\\]*(?:criteria|change|checks|conversation|earlier_summary)/gi,
            '',
          ),
        ),
      ).toBe(4)
    }),
  )
})

it('every other text stays as it is', () => {
  const change = '-<div>a</div>\n+<changes><b></b> 1 < 2'
  const asked = gradeTask({ criteria: 'a', change, checks: '', word: 'w' })
  expect(asked).toContain(`<change w>\n${change}\n</change w>`)
})

/** Mutation: leave the word out of the tags. */
it('the tags of texts of others hold a word that the prompt names before them, and those of the person do not', () => {
  const word = 'b2f1c3d4'
  const attempts = gradeAttemptsTask('a', [{ label: 'A', change: 'b', checks: 'c' }], word)
  for (const task of [
    gradeTask({ criteria: 'a', change: 'b', checks: 'c', word }),
    summaryTask('a', 'b', word),
    attempts,
  ]) {
    const [before = '', ...tags] = task.split(/<\/?\w+/)
    expect(before).toContain(`the word ${word};`)
    expect(tags.every((tag) => tag.startsWith(` ${word}>`))).toBe(true)
  }
  expect(examples([{ input: 'a', output: 'b' }])).toContain('<input>\na\n</input>')
})
