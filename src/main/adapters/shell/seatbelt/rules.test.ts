import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { joinPath, rootPath } from '#shared/model/virtual-path.ts'
import { readablePlaces } from '../readable-places.ts'
import { decide } from './decide.testkit.ts'
import { writeProfile } from './profile.ts'
import { type RulesInput, rulesFor } from './rules.ts'

const world = realpathSync.native(mkdtempSync(join(tmpdir(), 'coppice-seatbelt-')))
const [home, project, view] = [join(world, 'home'), join(world, 'tools/project'), join(world, 'view')]
for (const folder of [join(home, '.nvm/bin'), project, join(view, 'files'), join(view, 'home'), join(view, 'tmp')])
  mkdirSync(folder, { recursive: true })
writeFileSync(join(home, '.nvm/.npmrc'), 'token')
symlinkSync(view, join(world, 'link-to-view'))

const environment = { NVM_DIR: join(home, '.nvm'), NPM_CONFIG_USERCONFIG: join(home, '.nvm/.npmrc') }
const system = ['/usr', join(world, 'tools')]
const places = readablePlaces({ hidden: [], home, path: '/usr/bin', environment, system })
const mount = { folder: join(view, 'files'), home: join(view, 'home'), temporary: join(view, 'tmp'), places: [] }
const input: RulesInput = { mount, rootFolder: project, given: null, places, hosts: [], proxyPort: null }

const reads = (path: string, changed: Partial<RulesInput> = {}) =>
  decide(writeProfile(rulesFor({ ...input, ...changed })), 'file-read-data', path)

it('shows tool chains of the home without the credentials in them, and nothing else of the home', () => {
  expect(['.nvm/bin', '.nvm/.npmrc', '.ssh/id_rsa', 'Documents'].map((path) => reads(join(home, path)))).toEqual([
    true,
    false,
    false,
    false,
  ])
})

it('hides the real project, also when a readable folder holds it', () => {
  expect([reads(join(world, 'tools/other')), reads(project), reads(join(project, 'a'))]).toEqual([true, false, false])
  expect(reads(join(project, 'a'), { rootFolder: null })).toBe(true)
})

it('means the real places of a view that links lead to', () => {
  const linked = join(world, 'link-to-view')
  const through = {
    folder: join(linked, 'files'),
    home: join(linked, 'home'),
    temporary: join(linked, 'tmp'),
    places: [],
  }
  expect(reads(join(view, 'files/a'), { mount: through })).toBe(true)
  expect(reads(join(view, 'files/a'), { mount: { ...through, folder: join(linked, 'new') } })).toBe(false)
  expect(reads(join(view, 'new/a'), { mount: { ...through, folder: join(linked, 'new') } })).toBe(true)
})

it('lets a command change a place beside the project only when the place may be written', () => {
  const [open, closed] = [join(world, 'open'), join(world, 'closed')]
  const place = { name: 'inputs', path: joinPath(rootPath, 'inputs') } as const
  const beside = [
    { ...place, folder: open, writable: true },
    { ...place, folder: closed, writable: false },
  ]
  const profile = writeProfile(rulesFor({ ...input, mount: { ...mount, places: beside } }))
  expect([open, closed].map((folder) => decide(profile, 'file-write-data', join(folder, 'a')))).toEqual([true, false])
  expect([open, closed].map((folder) => decide(profile, 'file-read-data', join(folder, 'a')))).toEqual([true, true])
})

it('shows the views of the project’s other folders and not those folders, and reads a folder beside without its secrets', () => {
  const [library, docs, ofLibrary] = [join(world, 'tools/lib'), join(world, 'docs'), join(world, 'view-of-lib')]
  for (const folder of [library, docs, ofLibrary]) mkdirSync(folder, { recursive: true })
  writeFileSync(join(docs, '.env'), 'x')
  const lib = { path: joinPath(rootPath, 'lib'), name: 'lib', real: library, folder: ofLibrary, home: join(view, 'h') }
  const beside = { path: joinPath(rootPath, 'refs'), name: 'docs', folder: docs, hidden: [joinPath(rootPath, '.env')] }
  const profile = writeProfile(rulesFor({ ...input, mount: { ...mount, others: [lib], folders: [beside] } }))
  const may = (folder: string) =>
    (['file-read-data', 'file-write-data'] as const).map((what) => decide(profile, what, join(folder, 'a')))
  expect([library, ofLibrary, docs].map(may)).toEqual([
    [false, false],
    [true, true],
    [true, false],
  ])
  expect(decide(profile, 'file-read-data', join(docs, '.env'))).toBe(false)
})

it('takes ports and sockets from what the project and the program were granted, sockets where they really are', () => {
  const reach = { localPorts: [5432, 80], sockets: [join(world, 'link-to-view/s')] }
  const grants = { program: '', home: [], variables: {}, localPorts: [80, 11_434] }
  const { localPorts, sockets } = rulesFor({ ...input, reach, grants })
  expect([localPorts, sockets]).toEqual([[5432, 80, 11_434], [join(view, 's')]])
})

it.each([
  [[], []],
  [['example.com'], []],
  [['localhost'], ['*']],
  [
    ['127.0.0.1:5432', 'localhost:80'],
    [5432, 80],
  ],
  [['localhost.example.com', 'localhost:80'], [80]],
])('takes from the granted hosts %j the ports %j of this machine', (hosts, ports) => {
  expect(rulesFor({ ...input, hosts }).loopback).toEqual(ports)
})
