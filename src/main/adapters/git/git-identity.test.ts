import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createIdentityReader } from './git-identity.ts'

let above: string
let project: string
beforeEach(() => {
  above = mkdtempSync(join(tmpdir(), 'coppice-identity-'))
  project = join(above, 'project')
  mkdirSync(join(above, 'home'))
  mkdirSync(project)
  execFileSync('git', ['init', '-q', '--template=', project])
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const put = (place: string, text: string) => writeFileSync(join(above, place), text)
const environment = (more: NodeJS.ProcessEnv = {}) => ({
  ...{ PATH: process.env.PATH, HOME: join(above, 'home'), GIT_CONFIG_NOSYSTEM: '1' },
  ...more,
})
const identity = (more?: NodeJS.ProcessEnv, folder: string | null = project) =>
  createIdentityReader(folder, environment(more))()

it('is what the user set for all projects', async () => {
  put('home/.gitconfig', '[user]\n\tname = "Ä \\"quoted\\" Name"\n\temail = me@example.com\n')
  expect(await identity()).toEqual({ name: 'Ä "quoted" Name', email: 'me@example.com' })
})

it('is the project’s own where it has one, and that of a file for some folders', async () => {
  put('home/.gitconfig', `[user]\nname = All\nemail = all@example.com\n[includeIf "gitdir:${above}/"]\npath = some\n`)
  put('home/some', '[user]\nemail = some@example.com\n')
  put('project/.git/config', '[core]\nrepositoryformatversion = 0\n[user]\nname = Local\n')
  expect(await identity()).toEqual({ name: 'Local', email: 'some@example.com' })
})

it.each([
  ['[commit]\ngpgsign = true\n', true],
  ['[tag]\ngpgSign\n', true],
  ['[commit]\ngpgsign = off\n', undefined],
])('knows whether commits are signed: %j', async (text, signs) => {
  put('home/.gitconfig', text)
  expect((await identity()).signs).toBe(signs)
  put('project/.git/config', '[commit]\ngpgsign = false\n[tag]\ngpgsign = false\n')
  expect((await identity()).signs).toBeUndefined()
})

it('is nothing without any, for an empty value, and for settings that git cannot read', async () => {
  const nothing = { name: null, email: null }
  expect(await identity()).toEqual(nothing)
  put('home/.gitconfig', '[user]\nname\nemail = "  "\n')
  expect(await identity()).toEqual(nothing)
  put('home/.gitconfig', '[user\nname = broken\n')
  expect(await identity()).toEqual(nothing)
})

it('does not ask another repository that the environment names', async () => {
  put('home/.gitconfig', '[user]\nname = Me\nemail = me@example.com\n')
  put('other', '[user]\nname = Other\n')
  const more = { GIT_CONFIG: join(above, 'other'), GIT_DIR: join(above, 'none'), GIT_CONFIG_COUNT: 'x' }
  expect(await identity(more)).toEqual({ name: 'Me', email: 'me@example.com' })
})

it('is asked of git again after a file changed, appeared, or the branch is another one', async () => {
  put('home/.gitconfig', '[user]\nname = One\n[include]\npath = more\n')
  const read = createIdentityReader(project, environment())
  const names = async () => Object.values(await read())
  expect(await names()).toEqual(['One', null])
  put('home/more', '[user]\nemail = more@example.com\n')
  expect(await names()).toEqual(['One', 'more@example.com'])
  put('home/.gitconfig', '[user]\nname = Two\n[includeIf "onbranch:other"]\npath = more\n')
  expect(await names()).toEqual(['Two', null])
  put('project/.git/HEAD', 'ref: refs/heads/other\n')
  expect(await names()).toEqual(['Two', 'more@example.com'])
})

it('is not asked of git again while its files stay as they are', async () => {
  put('home/.gitconfig', '[user]\nname = One\n')
  const variables = environment()
  const read = createIdentityReader(project, variables)
  expect(await read()).toEqual({ name: 'One', email: null })
  // Git would not find this home's settings any more.
  variables.HOME = join(above, 'nowhere')
  expect(await read()).toEqual({ name: 'One', email: null })
})
