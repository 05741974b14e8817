import { describe, expect, it } from 'vitest'
import { fitsMatcher, matcherProblem } from './hook-matcher.ts'

describe('matchers', () => {
  it.each([
    [null, ['Bash'], true],
    ['', ['Bash'], true],
    ['*', ['Bash'], true],
    ['Bash', ['Bash', 'execute'], true],
    ['Edit|Write', ['Write'], true],
    ['Edit|Write', ['MultiEdit'], false],
    ['Edit.*', ['MultiEdit'], true],
    ['^Edit', ['MultiEdit'], false],
    ['mcp__memory__.*', ['mcp__memory__write'], true],
    ['mcp__.*__write', ['mcp__memory__read'], false],
  ] as const)('%s, about %s: %s', (matcher, names, fits) => {
    expect(fitsMatcher(matcher, names)).toBe(fits)
  })

  it.each([
    ...['(a+)+$', '(?=x)', '(.)\\1', '.*a.*b.*c.*', '[', `${'a.'.repeat(200)}`],
    ...[`${'(a*|b)'.repeat(12)}$`, `${'a?'.repeat(40)}${'a'.repeat(40)}$`],
  ])('refuses %s, and fits nothing', (matcher) => {
    expect(matcherProblem(matcher)).toBeDefined()
    expect(fitsMatcher(matcher, ['a'.repeat(200)])).toBe(false)
  })
})
