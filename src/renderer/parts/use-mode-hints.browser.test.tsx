import { expect, it } from 'vitest'
import { modeHint } from './use-mode-hints.ts'

it('says when a person is asked about commands, which depends on the sandbox and the settings', () => {
  expect(modeHint('auto-edit', true, null)).toMatch(/you keep or drop what they did/)
  expect(modeHint('auto', true, null)).toMatch(/asks only for what leaves it/i)
  expect(modeHint('auto', true, 'before')).toMatch(/ask before they run, as your settings say/)
  expect(modeHint('plan', true, 'adopt')).toMatch(/dropped/)
  for (const mode of ['ask', 'auto-edit', 'auto'] as const)
    expect(modeHint(mode, false, 'adopt')).toMatch(/commands ask before they run/i)
})
