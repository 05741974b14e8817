import fc from 'fast-check'
import { expect, it } from 'vitest'
import { gradeTask } from './grade.ts'
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
          gradeTask({ criteria: one, change: two, checks: three }).replace(
            /<\/?(?:conversation|earlier_summary|input|output)/gi,
            '',
          ),
        ),
      ).toBe(6)
      expect(tags(summaryTask(one, two).replace(/<[\s/\\]*(?:criteria|change|checks|input|output)/gi, ''))).toBe(4)
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
  expect(gradeTask({ criteria: 'a', change, checks: '' })).toContain(`<change>\n${change}\n</change>`)
})
