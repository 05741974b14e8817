import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createSettingsReader, type PersonalSettings } from './personal-settings.ts'

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
const settings = (more?: NodeJS.ProcessEnv) => createSettingsReader(project, environment(more))()
const authorOf = ({ values }: PersonalSettings) =>
  Object.fromEntries(values.map(([key, value]) => [key.replace('user.', ''), value]))
const identity = async (more?: NodeJS.ProcessEnv) => authorOf(await settings(more))

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
  expect((await settings()).signs).toBe(signs)
  put('project/.git/config', '[commit]\ngpgsign = false\n[tag]\ngpgsign = false\n')
  expect((await settings()).signs).toBeUndefined()
})

// Mutation: what is left out for its credential was said nowhere, so a clean filter was dropped in silence.
it('names the settings that have a credential in them, and gives none of it', async () => {
  const secret = 'https://me:ghp_0123456789abcdefghijABCDEFGHIJ012345@example.com'
  put('home/.gitconfig', `[filter "x"]\nclean = tool --at ${secret}\nsmudge = cat\n[http]\nproxy = ${secret}\n`)
  const { values, withheld } = await settings()
  expect([values, withheld]).toEqual([[['filter.x.smudge', 'cat']], ['filter.x.clean']])
})

it('is nothing without any, for an empty value, and for settings that git cannot read', async () => {
  const nothing = {}
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
  const read = createSettingsReader(project, environment())
  const names = async () => Object.values(authorOf(await read()))
  expect(await names()).toEqual(['One'])
  put('home/more', '[user]\nemail = more@example.com\n')
  expect(await names()).toEqual(['One', 'more@example.com'])
  put('home/.gitconfig', '[user]\nname = Two\n[includeIf "onbranch:other"]\npath = more\n')
  expect(await names()).toEqual(['Two'])
  put('project/.git/HEAD', 'ref: refs/heads/other\n')
  expect(await names()).toEqual(['Two', 'more@example.com'])
})

it('is not asked of git again while its files stay as they are', async () => {
  put('home/.gitconfig', '[user]\nname = One\n')
  const variables = environment()
  const read = createSettingsReader(project, variables)
  expect(authorOf(await read())).toEqual({ name: 'One' })
  // Git would not find this home's settings any more.
  variables.HOME = join(above, 'nowhere')
  expect(authorOf(await read())).toEqual({ name: 'One' })
})

describe('the person’s own ignore rules', () => {
  const rules = async (more?: NodeJS.ProcessEnv) => (await settings(more)).texts['core.excludesfile']

  it('are in the usual file, or the one that a setting names', async () => {
    expect(await rules()).toBeUndefined()
    mkdirSync(join(above, 'home/.config/git'), { recursive: true })
    mkdirSync(join(above, 'other/git'), { recursive: true })
    put('home/.config/git/ignore', 'usual')
    put('other/git/ignore', 'other')
    expect([await rules(), await rules({ XDG_CONFIG_HOME: join(above, 'other') })]).toEqual(['usual', 'other'])
    put('home/.gitconfig', '[core]\nexcludesFile = ~/mine\n')
    expect(await rules()).toBeUndefined()
    put('home/mine', 'mine')
    expect(await rules()).toBe('mine')
    put('home/.gitconfig', '[core]\nexcludesFile =\n')
    expect(await rules()).toBeUndefined()
  })

  it('come from outside the repository, where its settings name them, and never from the view', async () => {
    put('outside', 'outside')
    put('project/inside', 'inside')
    put('project/.git/config', '[core]\nexcludesFile = ../outside\n')
    expect(await rules()).toBe('outside')
    put('project/.git/config', '[core]\nexcludesFile = inside\n')
    expect(await rules()).toBeUndefined()
  })

  it('are read again when they change', async () => {
    put('mine', 'one')
    put('home/.gitconfig', `[core]\nexcludesFile = ${above}/mine\n`)
    const read = createSettingsReader(project, environment())
    const texts = async () => (await read()).texts
    expect(await texts()).toEqual({ 'core.excludesfile': 'one' })
    put('mine', 'and two')
    expect(await texts()).toEqual({ 'core.excludesfile': 'and two' })
  })
})
