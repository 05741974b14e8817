import { describe, expect, it } from 'vitest'
import { createMemoryBaseTree, emptyTree } from '#overlay'
import { openWorld } from '#overlay/testkit'
import { rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import type { RealFolder } from '../../ports/real-folder.ts'
import { openRouted } from './backends.testkit.ts'
import { choosePrefixes } from './prefixes.ts'
import {
  type Backend,
  chooseRoutes,
  describeRoutes,
  programPlaces,
  realFileReason,
  routeNotes,
  routeOf,
} from './routes.ts'

const at = (path: string) => path as VirtualPath
const memory: Backend = { kind: 'scratch', owner: 'thread' }
const branch: Backend = { kind: 'branch' }
const folder = (apply: RealFolder['apply']): Backend => ({
  kind: 'folder',
  folder: { path: '/home/me/docs', apply } as RealFolder,
})
const writable = folder({} as NonNullable<RealFolder['apply']>)
const wanted = (...pairs: readonly (readonly [string, Backend])[]) =>
  pairs.map(([usual, backend]) => ({ usual, backend }))
const added = (routes: Awaited<ReturnType<typeof openRouted>>['routes']) =>
  routes.filter(({ builtIn }) => !builtIn).map(({ prefix }) => prefix)

describe('routes', () => {
  it('get another name when the project, a place or another route has theirs, in any case', async () => {
    const { routes } = await openRouted(
      wanted(['/docs/', memory], ['/team/notes/', memory], ['/Team/', memory], ['/free/', memory]),
      { '/Docs/a': 'x', '/docs-1': 'x', '/team/Notes': 'x' },
    )
    expect(added(routes)).toEqual(['/docs-2/', '/Team-1/', '/free/', '/team/notes-1/'])
    expect(routeNotes(routes)).toContain(
      'The route /docs/ is /docs-2/ here, because the project has a path of that name.',
    )
    expect(describeRoutes(routes).join(' ')).toContain('The user calls it /docs/, which the project has itself.')
  })

  it('do not hide what a branch has made', async () => {
    const world = openWorld()
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/docs/a'), new Uint8Array(1)))
    const prefixes = await choosePrefixes(world.base)
    const { routes } = await chooseRoutes(prefixes, wanted(['/docs/', memory]), { base: world.base, trees: [tree] })
    expect(added(routes)).toEqual(['/docs-1/'])
  })

  it('follow the route that they are in', async () => {
    const { routes } = await openRouted(wanted(['/docs/in/', memory], ['/docs/', memory], ['/docs/src/', branch]), {
      '/docs/a': 'x',
    })
    expect(added(routes)).toEqual(['/docs-1/', '/docs-1/in/', '/docs-1/src/'])
    expect(routeOf(routes, at('/docs-1/in'))?.prefix).toBe('/docs-1/in/')
    expect(routeOf(routes, at('/docs-1/inner'))?.prefix).toBe('/docs-1/')
    expect([routeOf(routes, at('/docs-1/src/a')), routeOf(routes, at('/docs/a')), routeOf(routes, rootPath)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('are not used below a file of the project', async () => {
    const base = createMemoryBaseTree({ '/a': 'file' })
    const chosen = await chooseRoutes(await choosePrefixes(base), wanted(['/a/b/', memory]), { base, trees: [] })
    expect([added(chosen.routes), chosen.problems]).toEqual([
      [],
      ['The route /a/b/ is not used: /a is a file of the project.'],
    ])
  })

  it('to real folders that can be written make a call ask, with the real path of each file', async () => {
    const { routes } = await openRouted(wanted(['/docs/', writable], ['/read/', folder(null)], ['/docs/in/', memory]))
    expect(realFileReason(routes, [at('/docs/a b.md'), at('/docs/new\nline')])).toBe(
      'writes to the real folder of the user: /home/me/docs/a b.md, "/home/me/docs/new\\nline"',
    )
    expect(realFileReason(routes, [at('/read/a'), at('/docs/in/a'), at('/a'), at('/memories/a')])).toBeUndefined()
  })

  it('to stores are places for programs, with variables of their own; real folders are none', async () => {
    const { routes } = await openRouted(
      wanted(['/My Notes/', memory], ['/my-notes/', memory], ['/docs/', writable], ['/docs/in/', memory]),
    )
    const names = programPlaces(routes).map(({ name }) => name)
    expect(names.slice(5)).toEqual(['place_my_notes', 'place_my_notes_2'])
    expect(names.slice(0, 5)).toContain('memories')
  })
})
