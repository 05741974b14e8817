import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ancestorsOf, isWithin, nameOf, parentOf, parseVirtualPath, type VirtualPath } from './virtual-path.ts'

const parsed = (input: string) => {
  const result = parseVirtualPath(input)
  return result.ok ? result.value : result.error.problem
}

describe('virtual paths', () => {
  it.each([
    ['src/a.ts', '/src/a.ts'],
    ['/src//a.ts/', '/src/a.ts'],
    ['./a/./b', '/a/b'],
    ['/a/../b', '/b'],
    ['/', '/'],
    ['.', '/'],
    ['a..b.ts', '/a..b.ts'],
    ['..a', '/..a'],
    ['%2e%2e/a', '/%2e%2e/a'],
    ['~/a', '/~/a'],
  ])('%s is %s', (input, path) => {
    expect(parsed(input)).toBe(path)
  })

  it.each([
    ['', 'empty'],
    ['..', 'outside_root'],
    ['/a/../../b', 'outside_root'],
    ['a\0b', 'nul'],
    ['\ud800', 'lone_surrogate'],
    ['C:\\a', 'drive'],
    ['c:/a', 'drive'],
    ['\\\\server\\share', 'unc'],
  ])('%j is refused: %s', (input, problem) => {
    expect(parsed(input)).toBe(problem)
  })

  it('never leads outside the root, and is its own canonical form', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '..', '.', '', 'b c', '...'), { maxLength: 8 }), (components) => {
        const result = parseVirtualPath(components.join('/') || '/')
        if (!result.ok) return
        expect(result.value).toMatch(/^\/(?!.*\/\/)/)
        expect(result.value.split('/')).not.toContain('..')
        expect(parsed(result.value)).toBe(result.value)
      }),
    )
  })

  it('finds parents, names and what is inside a folder', () => {
    const path = '/a/b/c.ts' as VirtualPath
    expect([parentOf(path), nameOf(path), ancestorsOf(path)]).toEqual(['/a/b', 'c.ts', ['/a/b', '/a']])
    expect(isWithin(path, '/a/b' as VirtualPath)).toBe(true)
    expect(isWithin('/a/bc' as VirtualPath, '/a/b' as VirtualPath)).toBe(false)
  })
})
