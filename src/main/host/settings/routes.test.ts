import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkRoutes } from './routes.ts'

const home = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-home-')))
const dataFolder = join(home, 'data')
mkdirSync(join(dataFolder, 'projects'), { recursive: true })
mkdirSync(join(home, 'docs/.git/hooks'), { recursive: true })
writeFileSync(join(home, 'file'), 'x')
symlinkSync('docs', join(home, 'link'))
symlinkSync(dataFolder, join(home, 'docs/data-link'))
const check = (routes: Parameters<typeof checkRoutes>[0]) => checkRoutes(routes, { dataFolder, home })
const memory = { kind: 'memory' } as const
const folder = (path: string) => ({ kind: 'folder', path, write: 'never' }) as const

describe('routes of the settings', () => {
  it('take a home folder, resolve links, and do not need the last slash', () => {
    expect(check({ '/docs': folder('~/docs'), '/a/b/': folder(join(home, 'link')) })).toEqual({
      used: [
        { prefix: '/docs/', setting: folder(join(home, 'docs')) },
        { prefix: '/a/b/', setting: folder(join(home, 'docs')) },
      ],
      problems: [],
    })
  })

  it.each([
    ['docs/', 'must start with "/"'],
    ['', 'is the project itself'],
    ['/', 'is the project itself'],
    ['/a/../b/', 'must be written without'],
    ['//a/', 'must be written without'],
    ['/../a/', 'leaves the project root'],
    ['/a\nb/', 'has characters'],
    ['/a*/', 'has characters'],
    ['/a\0/', 'contains a NUL'],
    ['/a/.GIT/', "git's own folder"],
    ['/memories/', 'a place of Coppice'],
    ['/Inputs/more/', 'a place of Coppice'],
  ])('name the wrong prefix %j and leave it out', (prefix, why) => {
    const { used, problems } = check({ [prefix]: memory, '/fine/': memory })
    expect(used.map((one) => one.prefix)).toEqual(['/fine/'])
    expect(problems).toEqual([expect.stringContaining(why)])
    expect(problems[0]).not.toContain('\n')
  })

  it.each([
    ['docs', 'needs an absolute path'],
    ['/', 'the whole disk'],
    [join(home, 'none'), 'no folder that can be read'],
    [join(home, 'file'), 'no folder that can be read'],
    [join(home, 'docs/.git/hooks'), "git's own folder"],
    [dataFolder, "Coppice's own data folder"],
    [join(home, 'docs/data-link/projects'), "Coppice's own data folder"],
  ])('name the wrong folder %s and leave it out', (path, why) => {
    expect(check({ '/x/': folder(path) })).toEqual({ used: [], problems: [expect.stringContaining(why)] })
  })

  it('take a prefix once', () => {
    expect(check({ '/a': memory, '/a/': memory })).toMatchObject({
      used: [{ prefix: '/a/' }],
      problems: ['"/a/" is there twice. It is not used.'],
    })
  })
})
