import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { runs } from '#core/ports/test-size.testkit.ts'
import { compileGlobs } from './name-globs.ts'

describe('globs of names', () => {
  it('refuses a glob with more parts than can be tried for each name', () => {
    for (const glob of [`*${'a*'.repeat(1_000)}`, `*a*b*${'?'.repeat(2_000)}`, `*a*b*{${'ab,'.repeat(1_000)}c}`]) {
      expect(() => compileGlobs([glob])).toThrow('too many parts behind a star or a brace. Shorten it.')
    }
    expect(compileGlobs([`*${'a*'.repeat(100)}`]).matches('a'.repeat(100))).toBe(true)
  })

  it.each([
    ['*.ts', ['a.ts', '.ts'], ['a.tsx', 'src/a.ts']],
    ['**/*.ts', ['a.ts', 'src/.hidden/a.ts', 'line\nbreak/a.ts'], ['a.js']],
    ['src/**', ['src/a', 'src/b/c'], ['srcs/a', 'a']],
    ['/src/[a-c].t?', ['src/b.ts'], ['src/d.ts', 'b.ts']],
    ['{a,b}/[!x]*', ['a/y', 'b/yy'], ['a/x', 'c/y']],
    ['app/(group)/*', ['app/(group)/page'], ['app/group/page']],
    ['!a', ['!a'], ['b']],
    ['@(a|b)', ['@(a|b)'], ['a']],
    ['"a"', ['"a"'], ['a']],
    ['a..b', ['a..b'], ['a']],
    ['[ab]+{c,d}+', ['a+c+'], ['aac', 'ac']],
    ['**/src/**/*.{ts,tsx}', ['src/a.ts', 'x/src/y/z/a.tsx'], ['a.ts', 'src/a.js']],
    ['{a,b}/{c,{d,e}*}/{**,f}', ['a/c/x/y', 'b/exx/f'], ['a/x/f', 'a/c']],
    ['*[0-9]*[!a-z]*?', ['x1-y', '12-3'], ['x1y', 'a1-/b']],
    ['aa/**{a,b*}', ['aa/ca', 'aa/b'], ['aa/a/a', 'aa/x/b']],
    ['a**b/c', ['axb/c'], ['a/b/c', 'a/x/b/c']],
    ['*\\*\\{*{a}*{1..3}*', ['x*{-{a}-2'], ['x*{-a-2', 'x*{-{a}-4']],
  ])('%s', (glob, inside, outside) => {
    const { matches } = compileGlobs([glob])
    expect(inside.filter((name) => !matches(name))).toEqual([])
    expect(outside.filter(matches)).toEqual([])
  })

  it.each([
    [`*${'a*'.repeat(30)}b`, 'a'.repeat(250)],
    [`**/${'a/**/'.repeat(30)}b`, `${'a/'.repeat(500)}c`],
    ['{a,aa}'.repeat(40), `${'a'.repeat(60)}c`],
    [`${'{*a,a*}'.repeat(20)}b`, 'a'.repeat(250)],
  ])('say no at once, in however many ways they could be tried: %s', (glob, name) => {
    const { matches } = compileGlobs([glob])
    // Trying every way would not end before the test does.
    expect(matches(name)).toBe(false)
  })

  /** For `a/**` picomatch also matches `a` itself, which could only be a folder. */
  const isOwnName = (glob: string) => glob.endsWith('/**')

  it('match the same names with both matchers', () => {
    const part = fc.constantFrom('a', 'b', '/', '*', '**/', '?', '[ab]', '[!a]', '{a,b*}', '{a/b,a}', '.', '\\*')
    const globs = fc
      .array(part, { minLength: 1, maxLength: 5 })
      .map((parts) => `a${parts.join('')}`)
      .filter((glob) => !isOwnName(glob))
    const names = fc.array(fc.constantFrom('a', 'b', '.a', 'ab', '*', 'ba.b'), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(globs, names, (glob, name) => {
        const path = `a${name.join('/')}`
        const stepwise = compileGlobs([`{,x}{,y}{,z}${glob}`])
        expect([glob, path, stepwise.matches(path)]).toEqual([glob, path, compileGlobs([glob]).matches(path)])
      }),
      runs(3_000),
    )
  })

  it('find the folders worth entering', () => {
    const { mayHold } = compileGlobs(['src/lib/*.ts', 'docs/**'])
    expect(['src/', 'src/lib/', 'src/lib/deep/', 'docs/a/'].filter((folder) => !mayHold(folder))).toEqual([])
    expect(['src/other/', 'lib/', 'doc/', 'src/libs/'].filter(mayHold)).toEqual([])
  })

  it.each(['{a', '[', 'src/[a', '/', 'a'.repeat(5_000)])('are refused when unclosed, empty or endless: %s', (glob) => {
    expect(() => compileGlobs([glob])).toThrow(expect.objectContaining({ code: 'bad_glob' }))
  })
})
