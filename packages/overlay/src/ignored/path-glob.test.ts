import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { repeats, runs } from '../ports/test-size.testkit.ts'
import { compileGlob } from './path-glob.ts'

const everything = { braces: true, groups: true, folderItself: true } as const
const nothing = { braces: false, groups: false, folderItself: false } as const

describe('a glob of paths', () => {
  it.each([
    ['/**/*.env', ['/.env', '/x.env', '/a/b/.env'], ['/env']],
    ['/src/**', ['/src', '/src/a', '/src/b/c'], ['/srcs', '/']],
    ['/src*/**', ['/src1/a'], ['/src1']],
    ['/*', ['/a'], ['/', '/a/b']],
    ['/[!a]?[b-d]', ['/xyc'], ['/ayc', '/x/c']],
    ['/{a,b/{c,d}}.{ts,js}', ['/a.ts', '/b/d.js'], ['/b.ts', '/a']],
    ['/@(a|b)+(c)?(d)*(e)', ['/ac', '/bccdee'], ['/a', '/acx']],
    ['/a\\*[[:digit:]]', ['/a*1'], ['/ab1', '/a*x']],
    ['/a{b', ['/a{b'], ['/ab']],
    ['/{1..3}x', ['/2x'], ['/4x']],
  ])('%s', (glob, inside, outside) => {
    const compiled = compileGlob(glob, everything)
    expect(inside.filter((path) => !compiled?.matches(path))).toEqual([])
    expect(outside.filter((path) => compiled?.matches(path))).toEqual([])
  })

  it('has neither braces nor groups where the syntax has none', () => {
    const compiled = compileGlob('{a,b}@(c)', nothing)
    expect([compiled?.matches('{a,b}@(c)'), compiled?.matches('ac')]).toEqual([true, false])
  })

  it.each([
    'a'.repeat(5_000),
    `${'{a,'.repeat(20)}b${'}'.repeat(20)}`,
    '!(a)',
    `${'@('.repeat(40)}a${')'.repeat(40)}`,
    '['.repeat(200),
    '{'.repeat(200),
  ])('is not read beyond its limits: %s', (glob) => {
    expect(compileGlob(glob, everything)).toBeNull()
  })

  /** What picomatch reads in its own way: glued stars, what is around a group, `x*` before `/**`, and `./`. */
  const peculiar = /[^/]\*\*|\*\*[^/]|\)[?*]|\*[@+?*]\(|\*\/\*\*$|\?[@+?*]\(|\/[?*]\(|^\.\//

  it('fits the same paths as picomatch', () => {
    const part = fc.constantFrom(
      ...['a', 'b', '/', '/', '*', '**/', '/**', '?', '[ab]', '[!a]', '[a-b]', '{a,b*}', '{a/b,a}', '{a,{b,ab}}', '.'],
      ...['\\*', '@(a|b)', '+(a)', '?(b)', '*(a|b)'],
    )
    const globs = fc
      .array(part, { minLength: 1, maxLength: 6 })
      .map((parts) => parts.join(''))
      .filter((glob) => !peculiar.test(glob) && !glob.startsWith('/') && !glob.includes('//'))
    const names = fc.array(fc.constantFrom('a', 'b', '.a', 'ab', '*', 'ba.b', 'aa'), { minLength: 1, maxLength: 4 })
    let fitting = 0
    fc.assert(
      fc.property(globs, names, (glob, name) => {
        const path = name.join('/')
        const expected = picomatch.isMatch(path, glob, { dot: true, posix: true })
        if (expected) fitting += 1
        const own = compileGlob(glob, everything)?.matches(path)
        expect([glob, path, own]).toEqual([glob, path, expected])
      }),
      { ...runs(20_000), seed: 20_261_122 },
    )
    expect(fitting).toBeGreaterThan(repeats(500, 500))
  })

  it.each([
    ['/src/main/a.ts', 1],
    ['/[ab]/?', 1],
    ['/src/main/**', 6],
    ['/src/*.ts', 6],
  ])('is as wide as what comes after its first star: %s', (glob, most) => {
    expect(compileGlob(glob, everything)?.width).toBeLessThanOrEqual(most)
  })

  /** Notices a matcher that tries a part of a text again, which backtracking does. */
  it('takes at most one step for each of its parts at each character', () => {
    const part = fc.constantFrom(
      'a',
      '*',
      '**/',
      '?',
      '[ab]',
      '{a,aa}',
      '{*a,a*}',
      '+(a|aa)',
      '*(a)',
      '*(*a)',
      '/**',
      '/',
    )
    const globs = fc.array(part, { minLength: 1, maxLength: 60 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(globs, fc.integer({ min: 1, max: 400 }), fc.constantFrom('a', 'a/', 'ab'), (glob, times, text) => {
        const work = { steps: 0 }
        const compiled = compileGlob(glob, everything)
        compiled?.matches(text.repeat(times), work)
        expect(work.steps).toBeLessThanOrEqual((compiled?.width ?? 0) * (text.length * times + 1))
        expect(work.steps).toBeLessThanOrEqual(5 * (glob.length + 1) * (text.length * times + 1))
      }),
      runs(300),
    )
    const work = { steps: 0 }
    expect(compileGlob(`${'*a'.repeat(30)}b`, nothing)?.matches('a'.repeat(2_000), work)).toBe(false)
    expect(work.steps).toBeLessThan(400_000)
  })
})
