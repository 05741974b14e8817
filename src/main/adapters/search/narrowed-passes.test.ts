import { describe, expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { narrowedPasses, underGlob } from './narrowed-passes.ts'

const at = (path: string) => path as VirtualPath
const candidates = { files: [at('/a/x.ts'), at('/a/b/y.md')], folders: [at('/c')], whole: [at('/own')] }
const pass = { cwd: '/', targets: ['./'], args: ['--first'], translate: at, confirm: () => ({ bytes: null }) }

describe('candidates under a glob', () => {
  it('are filtered by a plain glob, and searched by folder under another', () => {
    expect(underGlob(candidates, undefined)).toBe(candidates)
    expect(underGlob(candidates, '*.ts')?.files).toEqual(['/a/x.ts'])
    expect(underGlob(candidates, 'y.md')?.files).toEqual(['/a/b/y.md'])
    expect(underGlob(candidates, '{x,y}.ts')).toEqual({ ...candidates, files: [], folders: ['/c', '/a', '/a/b'] })
    expect(underGlob(candidates, 'a/**')).toEqual({ ...candidates, files: [], folders: ['/c', '/a', '/a/b'] })
  })

  // Notices that folders are named under a glob that would have kept the engine from entering them.
  it('are not known under a glob that excludes', () => {
    expect(underGlob(candidates, '!a')).toBeNull()
  })
})

describe('passes over candidates', () => {
  it('name files and folders below the working folder, and enter whole folders in a run of their own', () => {
    const passes = narrowedPasses(pass, at('/'), candidates).map(({ targets, args }) => [targets, args])
    expect(passes).toEqual([
      [
        ['./a/x.ts', './a/b/y.md', './c'],
        ['--first', '--no-mmap', '--max-depth', '1'],
      ],
      [['./own'], ['--first', '--no-mmap']],
    ])
    const below = { files: [at('/a/x.ts')], folders: [at('/a')], whole: [] }
    expect(narrowedPasses(pass, at('/a'), below).map(({ targets }) => targets)).toEqual([['./x.ts', './']])
    expect(narrowedPasses(pass, at('/'), { files: [], folders: [], whole: [] })).toEqual([])
  })

  it('are split before a command line becomes too long for the system', () => {
    const files = Array.from({ length: 20_000 }, (_, file) => at(`/folder/${'n'.repeat(60)}-${file}`))
    const passes = narrowedPasses(pass, at('/'), { files, folders: [], whole: [] })
    expect(passes.flatMap(({ targets }) => targets)).toEqual(files.map((path) => `.${path}`))
    for (const { targets } of passes) expect(Buffer.byteLength(targets.join('\0'))).toBeLessThan(600_000)
  })
})
