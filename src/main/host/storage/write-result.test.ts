import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { findResultProblem, replaceFile, writeResult } from './write-result.ts'

let folder: string
let root: string
let outside: string

beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-result-')))
  root = join(folder, 'project')
  outside = join(folder, 'outside')
  for (const made of [root, outside, join(root, 'out'), join(root, '.git/hooks')]) mkdirSync(made, { recursive: true })
  writeFileSync(join(outside, 'canary'), 'canary')
})

describe('a result for a person', () => {
  it('is written beside the project and inside it', async () => {
    for (const file of [join(outside, 'new.patch'), join(root, 'out/new.patch'), join(root, 'new.patch')]) {
      await writeResult(file, 'content', root)
      expect(readFileSync(file, 'utf8')).toBe('content')
    }
    expect(readdirSync(join(root, 'out'))).toEqual(['new.patch'])
  })

  // Mutation: without the checks for links, each of these rows writes to a place outside.
  const planted: readonly (readonly [string, (at: string) => void, string])[] = [
    ['a link to a file', (at) => symlinkSync(join(outside, 'canary'), at), ''],
    ['a link that leads nowhere yet', (at) => symlinkSync(join(outside, 'new'), at), ''],
    [
      'a link to a link',
      (at) => {
        symlinkSync('first', at)
        symlinkSync(join(outside, 'canary'), join(root, 'first'))
      },
      '',
    ],
    ['a link to a folder', (at) => symlinkSync(outside, at), 'canary'],
    ['a link inside the project', (at) => symlinkSync('.git/hooks', at), 'post-checkout'],
    [
      'a link behind a folder',
      (at) => {
        mkdirSync(at)
        symlinkSync(outside, join(at, 'deep'))
      },
      'deep/canary',
    ],
  ]
  it.each(planted)('is not written through %s', async (_, plant, below) => {
    plant(join(root, 'planted'))
    const before = readdirSync(outside)
    await expect(writeResult(join(root, 'planted', below), 'changed', root)).rejects.toThrow('is a link')
    expect(readFileSync(join(outside, 'canary'), 'utf8')).toBe('canary')
    expect(readdirSync(outside)).toEqual(before)
    expect(readdirSync(join(root, '.git/hooks'))).toEqual([])
  })

  it('is not written through a link beside the project', async () => {
    symlinkSync('canary', join(outside, 'link'))
    expect(findResultProblem(join(outside, 'link'), root)).toContain('is a link')
    expect(findResultProblem(join(outside, 'link'), null)).toContain('is a link')
  })

  it('is not written to a hidden folder of the project, by whatever name the project has', () => {
    symlinkSync(root, join(folder, 'other-name'))
    for (const name of [root, join(folder, 'other-name')]) {
      expect(findResultProblem(join(name, '.git/hooks/post-checkout'), root)).toContain('hidden folder')
    }
    expect(findResultProblem(join(root, '.git/x'), join(folder, 'other-name'))).toContain('hidden folder')
    expect(findResultProblem(join(outside, 'x'), root)).toBeNull()
  })

  it('is refused for a folder, and where no folder is', () => {
    expect(findResultProblem(join(root, 'out'), root)).toContain('is a folder')
    expect(findResultProblem(join(root, 'none/x.patch'), root)).toContain('there is no folder')
  })

  it('may go to the standard output by its device', () => {
    expect(findResultProblem('/dev/stdout', root)).toBeNull()
    expect(findResultProblem('/dev/fd/63', root)).toBeNull()
  })
})

it('replaces a link by a file, keeps the mode of a file, and leaves nothing behind', async () => {
  symlinkSync('canary', join(outside, 'link'))
  await replaceFile(join(outside, 'link'), 'new')
  expect(lstatSync(join(outside, 'link')).isSymbolicLink()).toBe(false)
  writeFileSync(join(outside, 'private'), 'old', { mode: 0o600 })
  await replaceFile(join(outside, 'private'), 'new')
  expect(statSync(join(outside, 'private')).mode & 0o777).toBe(0o600)
  mkdirSync(join(outside, 'folder'))
  await expect(replaceFile(join(outside, 'folder'), 'new')).rejects.toThrow()
  expect(readdirSync(outside).sort()).toEqual(['canary', 'folder', 'link', 'private'])
  expect(readFileSync(join(outside, 'canary'), 'utf8')).toBe('canary')
})
