import { describe, expect, it } from 'vitest'
import { failureList, playwrightFailures, skippedLine, vitestFailures, vitestSkipped } from './failures.ts'

describe('the list of failed tests', () => {
  it('names the failed tests of Vitest with the start of their message', () => {
    const failed = {
      status: 'failed',
      fullName: 'a tree keeps names',
      failureMessages: ['\u001b[31mexpected 1\u001b[39m\n\nto be 2\n    at x.ts:1'],
    }
    const report = {
      testResults: [
        {
          name: '/p/src/tree.test.ts',
          status: 'failed',
          assertionResults: [{ status: 'passed', fullName: 'ok' }, failed],
        },
        { name: '/p/src/b.test.ts', status: 'failed', message: 'no such module', assertionResults: [] },
      ],
    }
    expect(failureList(vitestFailures(report), '/p')).toBe(
      '\nFailed:\n- src/tree.test.ts › a tree keeps names: expected 1 | to be 2\n- src/b.test.ts › the whole file: no such module\n',
    )
  })

  it('names the failed specs of Playwright at any depth', () => {
    const spec = (title: string, ok: boolean) => ({
      title,
      ok,
      file: 'specs/a.spec.ts',
      tests: [{ results: [{}, { error: { message: 'Timeout 15000ms' } }] }],
    })
    const report = { suites: [{ specs: [spec('one', true)], suites: [{ specs: [spec('two', false)] }] }] }
    expect(playwrightFailures(report)).toEqual(['specs/a.spec.ts › two: Timeout 15000ms'])
  })

  it('names at most 20 and counts the rest', () => {
    const lines = failureList(
      Array.from({ length: 23 }, (_, index) => `t${index}`),
      '/p',
    )
      .trim()
      .split('\n')
    expect(lines).toHaveLength(22)
    expect(lines.at(-1)).toBe('- and 3 more')
    expect(failureList([], '/p')).toBe('')
  })

  it('names on one line the files whose tests did not run', () => {
    const file = (name: string, ...statuses: readonly string[]) => ({
      name,
      status: 'passed',
      assertionResults: statuses.map((status) => ({ status, fullName: 'a test' })),
    })
    const results = [
      file('/p/src/a.test.ts', 'passed', 'skipped'),
      file('/p/src/b.browser.test.tsx', 'skipped', 'pending', 'todo'),
      file('/p/src/c.test.ts', 'passed', 'failed'),
    ]
    const skipped = vitestSkipped({ testResults: results })
    expect(skippedLine([...skipped, ...skipped])).toBe('\nDid not run here: 6 in b.browser, 2 in a\n')
    expect(skippedLine([])).toBe('')
  })
})
