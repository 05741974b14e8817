import { mkdirSync, mkdtempSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { call } from '@orpc/server'
import { expect, it } from 'vitest'
import { openTestHost } from '../testing/test-host.testkit.ts'

/** A project, two folders beside it, and the data of the app. */
function makePlaces() {
  const above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-folders-')))
  for (const name of ['app/lib', 'lib', 'docs', 'other']) mkdirSync(join(above, name), { recursive: true })
  return (name: string) => join(above, name)
}

it('a person adds folders to a project, finds them again at the next start, and takes one away', async () => {
  const at = makePlaces()
  const shown = async (host: Awaited<ReturnType<typeof openTestHost>>) => {
    const project = await host.projects.open(at('app'))
    const { folders } = await call(host.router.projects.folders, { projectId: project.info().id })
    return folders.map(({ root, access, isGone }) => `${root} ${access}${isGone ? ' gone' : ''}`)
  }
  {
    await using host = await openTestHost(at('data'))
    const projectId = (await host.projects.open(at('app'))).info().id
    const add = (path: string, access: 'read' | 'write') =>
      call(host.router.projects.addFolder, { projectId, path: at(path), name: null, access })
    await add('lib', 'write')
    await add('docs', 'read')
    mkdirSync(at('lib/.claude/skills'), { recursive: true })
    // The project has a folder `lib` itself.
    expect(await shown(host)).toEqual(['/ write', '/lib-2 write', '/refs/docs read'])
    await expect(add('docs', 'read')).rejects.toThrow('is a folder of this project already')
    await expect(add('app/lib', 'write')).rejects.toThrow('lie in each other')
    await expect(add('none', 'read')).rejects.toThrow('no folder that can be read')
    expect(await shown(host), 'a refusal changes nothing').toHaveLength(3)
    const { wouldLoad } = (await host.projects.open(at('app'))).info()
    expect(wouldLoad, 'what the person must trust first').toEqual(['lib-2/.claude/skills'])
    await call(host.router.projects.removeFolder, { projectId, path: at('docs') })
    expect(await shown(host)).toEqual(['/ write', '/lib-2 write'])
    await expect(call(host.router.projects.removeFolder, { projectId, path: at('lib') })).rejects.toThrow(
      'no folder that can be taken away',
    )
  }
  renameSync(at('lib'), at('away'))
  await using host = await openTestHost(at('data'))
  expect(await shown(host)).toEqual(['/ write', '/lib-2 write gone'])
})

it('a folder that lies in another one of the project is not added, and a damaged list is said', async () => {
  const at = makePlaces()
  mkdirSync(at('lib/inner'))
  let file: string
  {
    await using host = await openTestHost(at('data'))
    const projectId = (await host.projects.open(at('app'))).info().id
    const add = (path: string) =>
      call(host.router.projects.addFolder, { projectId, path: at(path), name: null, access: 'write' })
    await add('lib')
    await expect(add('lib/inner')).rejects.toThrow('lie in each other')
    const project = await host.projects.open(at('app'))
    expect(project.routeNotes).toEqual([])
    expect(project.folders).toHaveLength(2)
    file = join(at('data/projects'), projectId, 'folders.json')
  }
  expect(JSON.parse(readFileSync(file, 'utf8')).folders).toHaveLength(1)
  writeFileSync(file, '{')
  await using host = await openTestHost(at('data'))
  await expect(host.projects.open(at('app'))).rejects.toThrow(`${file} cannot be read`)
})

// Mutation: leave `known` out of `taken` in `openFolders`, or compare the names alone in `freeRoot`.
it('folders of one name, or of one variable, get different ones, also when they come one after the other', async () => {
  const at = makePlaces()
  const places = ['a/lib', 'b/lib', 'a/my-lib', 'b/my_lib', 'a/日本', 'b/中国']
  for (const place of places) mkdirSync(at(place), { recursive: true })
  let roots: readonly string[] = []
  for (const place of places) {
    await using host = await openTestHost(at('data'))
    const projectId = (await host.projects.open(at('other'))).info().id
    await call(host.router.projects.addFolder, { projectId, path: at(place), name: null, access: 'write' })
    const project = await host.projects.open(at('other'))
    roots = project.folders.map(({ root }) => root)
    // As after `--add-dir`, which names its folder for one run.
    rmSync(at('data/settings.json'))
  }
  expect(roots).toEqual(['/', '/lib', '/lib-2', '/my-lib', '/my_lib-2', '/日本', '/中国-2'])
})

// Mutation: return `name` in `nameFor`.
it('a folder whose name no path of agents can have gets a like one', async () => {
  const at = makePlaces()
  await using host = await openTestHost(at('data'))
  const projectId = (await host.projects.open(at('other'))).info().id
  const names = ['my[app]*', 'inputs', '..', '.git', 'line\nbreak', 'refs']
  for (const [place, name] of names.entries()) {
    mkdirSync(at(`place-${place}`))
    await call(host.router.projects.addFolder, { projectId, path: at(`place-${place}`), name, access: 'write' })
  }
  const project = await host.projects.open(at('other'))
  expect(project.routeNotes).toEqual([])
  expect(project.folders.map(({ root }) => root)).toEqual([
    ...['/', '/my-app-', '/inputs-2', '/folder', '/folder-2', '/line-break', '/refs-2'],
  ])
})

it('a folder that the project got itself under the name of another one is not shown, and that is said', async () => {
  const at = makePlaces()
  {
    await using host = await openTestHost(at('data'))
    const projectId = (await host.projects.open(at('other'))).info().id
    await call(host.router.projects.addFolder, { projectId, path: at('lib'), name: null, access: 'write' })
  }
  mkdirSync(at('other/lib'))
  await using host = await openTestHost(at('data'))
  const project = await host.projects.open(at('other'))
  expect(project.routeNotes).toEqual([expect.stringContaining('has something of its own at /lib')])
})

// Mutation: compare each with `known` alone.
it('of folders that are added at once and lie in each other, the first one counts', async () => {
  const at = makePlaces()
  mkdirSync(at('lib/inner'))
  mkdirSync(at('data'))
  const wanted = Object.fromEntries(
    ['lib', 'lib/inner', 'lib/.'].map((path) => [path.replace('/', '-'), { path: at(path), access: 'write' }]),
  )
  writeFileSync(at('data/settings.json'), JSON.stringify({ folders: { projects: { [at('app')]: wanted } } }))
  await using host = await openTestHost(at('data'))
  const { folders, routeNotes } = await host.projects.open(at('app'))
  expect(folders.map(({ path }) => path)).toEqual([at('app'), at('lib')])
  expect(routeNotes).toEqual([expect.stringContaining('lie in each other')])
})

it('is refused while agents work, since the project is opened again', async () => {
  const at = makePlaces()
  await using host = await openTestHost(at('data'))
  const project = await host.projects.open(at('app'))
  const threadId = project.runtime.createThread({ title: 't', model: 'demo', approvalMode: 'auto' })
  project.runtime.send(threadId, [{ type: 'text', text: 'go' }], 'queue')
  await expect.poll(() => host.projects.working(), { interval: 1 }).toBe(1)
  const projectId = project.info().id
  const wanted = { projectId, path: at('lib'), name: null, access: 'read' } as const
  await expect(call(host.router.projects.addFolder, wanted)).rejects.toThrow('Agents work in this project')
  project.runtime.stop(threadId)
  await project.runtime.whenIdle(threadId)
  await call(host.router.projects.addFolder, wanted)
})
