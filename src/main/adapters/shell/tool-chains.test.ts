import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { credentialsInHome } from './credential-places.ts'
import { maskedCredentials, readablePlaces } from './readable-places.ts'

let above: string
let home: string
beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-tools-')))
  home = join(above, 'home')
  mkdirSync(home)
})
afterEach(() => rmSync(above, { recursive: true, force: true }))

const make = (...folders: readonly string[]) => {
  for (const folder of folders) mkdirSync(join(above, folder), { recursive: true })
}
const places = (environment: NodeJS.ProcessEnv = {}, path = '') =>
  readablePlaces({ hidden: [join(above, 'data')], home, path, environment })
const ours = (folders: readonly string[]) => folders.filter((folder) => folder.startsWith(above)).sort()

it('names the folders of version managers in the home, also those that no variable names', () => {
  make('home/.rustup', 'home/.pyenv', 'home/.cargo/bin', 'home/go')
  const { folders, variables, written } = places()
  expect(ours(folders)).toEqual(['.cargo/bin', '.pyenv', '.rustup'].map((name) => join(home, name)))
  expect(variables).toEqual({ RUSTUP_HOME: join(home, '.rustup'), PYENV_ROOT: join(home, '.pyenv') })
  expect(written).toEqual({ CARGO_HOME: '.cargo', GOPATH: 'go' })
})

it('follows the user’s variables, and leaves out those that lead to no folder', () => {
  make('rust', 'cargo/bin', 'jdk/bin')
  const environment = {
    ...{ RUSTUP_HOME: join(above, 'rust'), CARGO_HOME: join(above, 'cargo'), JAVA_HOME: `${join(above, 'jdk')}/` },
    ...{ NVM_DIR: join(above, 'gone'), VOLTA_HOME: 'relative', SDKMAN_DIR: '' },
  }
  const { folders, variables, written } = places(environment)
  expect(ours(folders)).toEqual(['cargo/bin', 'jdk', 'rust'].map((name) => join(above, name)))
  expect(variables).toEqual({ RUSTUP_HOME: environment.RUSTUP_HOME, JAVA_HOME: environment.JAVA_HOME })
  expect(written).toEqual({ CARGO_HOME: '.cargo' })
})

it('reads what the folder of a tool chain links to', () => {
  make('disk/rustup')
  symlinkSync(join(above, 'disk/rustup'), join(home, '.rustup'))
  const { folders, links, variables } = places()
  expect(ours(folders)).toEqual([join(above, 'disk/rustup')])
  expect(links).toContainEqual([join(home, '.rustup'), join(above, 'disk/rustup')])
  expect(variables).toEqual({ RUSTUP_HOME: join(home, '.rustup') })
})

it('makes no link inside a folder that is readable anyway', () => {
  make('opt/jdk-21')
  symlinkSync(join(above, 'opt/jdk-21'), join(above, 'opt/jdk'))
  const { links, variables } = places({ JAVA_HOME: join(above, 'opt/jdk') }, join(above, 'opt'))
  expect([ours(links.map(([link]) => link)), variables.JAVA_HOME]).toEqual([[], join(above, 'opt/jdk')])
})

it('takes no variable that leads to the home, above it, to the app’s data, or to credentials, by any way', () => {
  make('home/.ssh/keys', 'home/.aws', 'data/projects', 'tools')
  symlinkSync(home, join(above, 'tools/home'))
  symlinkSync(join(home, '.ssh'), join(above, 'tools/jdk'))
  const wrong = ['home', '', 'home/.ssh', 'home/.ssh/keys', 'home/.aws', 'data', 'data/projects', 'tools/home']
  for (const place of [...wrong, 'tools/jdk', 'tools/home/.ssh', 'tools/home/.ssh/keys', 'home/../home/.ssh/']) {
    const named = join(above, place)
    const { folders, links, variables } = places({ JAVA_HOME: named, RUSTUP_HOME: named }, named)
    const shown = [...folders, ...links.map(([link]) => link)]
    expect([place, ours(shown), variables]).toEqual([place, [], {}])
  }
})

it('covers each credential inside a folder that commands may read, at the moment of the command', () => {
  const environment = { JAVA_HOME: join(above, 'jdk'), NETRC: join(above, 'jdk/netrc') }
  make('jdk', 'home/.local/share/uv')
  const found = places(environment)
  expect(maskedCredentials(found)).toEqual({ files: [], folders: [] })
  writeFileSync(join(above, 'jdk/netrc'), 'canary')
  make('home/.local/share/uv/credentials')
  expect(maskedCredentials(found)).toEqual({
    files: [join(above, 'jdk/netrc')],
    folders: [join(home, '.local/share/uv/credentials')],
  })
})

it('covers the private keys that .NET keeps in its folder, in the home and where a variable moves it', () => {
  make('home/.dotnet/corefx', 'home/.dotnet/sdk', 'dotnet/corefx', 'dotnet/sdk')
  const corefx = (environment: NodeJS.ProcessEnv) => maskedCredentials(places(environment)).folders
  expect(corefx({})).toEqual([join(home, '.dotnet/corefx')])
  expect(corefx({ DOTNET_ROOT: join(above, 'dotnet') })).toEqual([join(above, 'dotnet/corefx')])
})

it('covers every known credential, whatever folder above it PATH names', () => {
  for (const name of credentialsInHome) {
    make(`home/${name}`, '..')
    const top = join(home, name.split('/')[0] ?? '')
    const found = places({}, `${top}:${join(home, name, '..')}`)
    const covered = [...maskedCredentials(found).folders, ...maskedCredentials(found).files]
    const shown = ours(found.folders).filter((folder) => `${join(home, name)}/`.startsWith(`${folder}/`))
    expect([name, shown.length === 0 || covered.includes(join(home, name))]).toEqual([name, true])
  }
})
