import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { processorTime } from '#overlay/testkit'
import { matchRules, noRules } from './rules.ts'
import { subjectOf } from './subject.testkit.ts'

/** What rules say about a command when everything else is allowed. */
function decided(command: string, deny: string, allow: readonly string[] = ['Bash']) {
  return matchRules({ ...noRules, deny: [deny], allow }, subjectOf('execute', { command }))?.effect
}

const rm = 'Bash(rm *)'

/** The rows of `deny-lines.txt`: what is decided, the rule and the line. */
const rows = readFileSync(new URL('./deny-lines.txt', import.meta.url), 'utf8')
  .split('\n# ')
  .slice(1)
  .flatMap((section) => {
    const [title = '', ...lines] = section.split('\n').filter((line) => line !== '')
    const [effect = '', rule = ''] = title.split(': ')
    return lines.map((line) => ({ effect, rule: `Bash(${rule})`, line: line.replaceAll('⏎', '\n') }))
  })

describe('a rule that denies a command', () => {
  it.each(rows)('says $effect to $line with deny $rule', ({ effect, rule, line }) => {
    expect(decided(line, rule)).toBe(effect)
  })

  it('says why it asks', () => {
    const because = (command: string) =>
      matchRules({ ...noRules, deny: [rm], allow: ['Bash'] }, subjectOf('execute', { command }))?.because
    expect(because('python -c x')).toBe('code for python is not read')
    expect(because('git grep -Orm x')).toBe('names rm, and git may run it')
    expect(because('nice '.repeat(30_000))).toBe('it is too long or too deep to be read')
  })

  it('lets a file of commands run that an allow rule names', () => {
    expect([decided('sh a.sh', rm, ['Bash(sh a.sh)']), decided('. a.sh', rm, ['Bash(. *)'])]).toEqual([
      'allow',
      'allow',
    ])
    expect([decided('sh a.sh', rm, ['Bash']), decided('python -c x', rm, ['Bash(python *)'])]).toEqual(['ask', 'ask'])
  })

  it('denies everything when it has no pattern, even what cannot be read', () => {
    expect(decided(`${'$('.repeat(300)}`, 'Bash')).toBe('deny')
  })
})

describe('the work of reading a line', () => {
  /** Notices a reader that reads a wrapped command again for each wrapper before it. */
  it.each([
    ['nice ', 'rm x'],
    ['env A=1 ', 'rm x'],
    ['sudo -u root ', 'rm x'],
    ['xargs ', 'rm x'],
    ['bash -c ', "'rm x'"],
    ['eval ', 'rm x'],
    ['find . -exec ', 'rm x'],
    ['find . -exec ls \\; ', '-exec rm x'],
    ['( ', 'rm x'],
    ['$( ', 'rm x'],
    ['"$( ', 'rm x'],
    ['cat <<E\n', '$(rm x)'],
    ['{ ', 'rm x'],
    ['if ', 'rm x'],
    ['time ', 'rm x'],
    ['coproc ', 'rm x'],
  ])('ends soon for any number of %j', (part, end) => {
    for (const count of [120, 2_000, 20_000]) {
      const taken = processorTime(() => expect(decided(part.repeat(count) + end, rm)).toMatch(/deny|ask/))
      expect(taken).toBeLessThan(5_000)
    }
  })
})
