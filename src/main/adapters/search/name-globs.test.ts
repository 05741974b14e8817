import { describe, expect, it } from 'vitest'
import { compileGlobs } from './name-globs.ts'

describe('globs of names', () => {
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
  ])('%s', (glob, inside, outside) => {
    const { matches } = compileGlobs([glob])
    expect(inside.filter((name) => !matches(name))).toEqual([])
    expect(outside.filter(matches)).toEqual([])
  })

  it('name the folders worth entering', () => {
    const { mayHold } = compileGlobs(['src/lib/*.ts', 'docs/**'])
    expect(['src/', 'src/lib/', 'src/lib/deep/', 'docs/a/'].filter((folder) => !mayHold(folder))).toEqual([])
    expect(['src/other/', 'lib/', 'doc/', 'src/libs/'].filter(mayHold)).toEqual([])
  })

  it.each(['{a', '[', 'src/[a'])('are refused when they are not closed: %s', (glob) => {
    expect(() => compileGlobs([glob])).toThrow(expect.objectContaining({ code: 'bad_glob' }))
  })
})
