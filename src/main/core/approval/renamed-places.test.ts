import { expect, it } from 'vitest'
import type { InterruptSetting } from './interrupt-settings.ts'
import { rulesByAnyName, settingsByAnyName } from './renamed-places.ts'
import { noRules } from './rules.ts'

const renamed = [
  { usual: '/memories/', prefix: '/memories-1/' },
  { usual: '/inputs/', prefix: '/inputs/' },
]

it('a rule about a place also counts for the name that the place has here', () => {
  const rules = {
    deny: ['write_file(/memories/user/**)', 'write_file(/memories)', 'Bash(ls /memories/x)'],
    ask: ['write_file', 'write_file(/memoriesX/**)', 'read_file(/inputs/**)'],
    allow: [],
  }
  expect(rulesByAnyName({ ...noRules, ...rules }, renamed)).toEqual({
    ...noRules,
    ...rules,
    deny: [...rules.deny, 'write_file(/memories-1/user/**)', 'write_file(/memories-1)'],
  })
  expect(rulesByAnyName({ ...noRules, ...rules }, [])).toEqual({ ...noRules, ...rules })
})

it('so does the pattern of a setting', () => {
  const settings = new Map<string, InterruptSetting>([
    ['write_file', { allowed_decisions: ['approve'], when: ['/memories/**', '*.md'] }],
    ['delete', true],
  ])
  const when = ['/memories/**', '*.md', '/memories-1/**']
  expect([...settingsByAnyName(settings, renamed)]).toEqual([
    ['write_file', { allowed_decisions: ['approve'], when }],
    ['delete', true],
  ])
})
