import { describe, expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree } from '#overlay'
import { at } from '#overlay/testkit'
import { openFileTools } from '../tools/files/files-world.testkit.ts'
import { planApply } from './apply-plan.ts'

const project = {
  '/.gitignore': '*.log\n/dist/\n',
  '/src/a.ts': 'a',
  '/src/debug.log': 'mine',
  '/src/deep/b.ts': 'b',
  '/src/deep/notes.log': 'mine',
  '/dist/out.js': 'built',
  '/.venv/.gitignore': '*\n',
  '/.venv/bin/python': 'x',
  '/logs/.gitignore': '*\n!.gitignore\n',
  '/logs/today': 'mine',
}

async function applied(tools: Awaited<ReturnType<typeof openFileTools>>): Promise<readonly string[]> {
  const steps = await planApply({ ...tools.sources, tree: tools.tree, paths: null })
  return steps.map(({ path, after }) => `${after ? '+' : '-'} ${path}`)
}

describe('a folder that a file tool deletes', () => {
  it.each([
    [
      '/src',
      "Deleted the folder /src: 2 files and 2 folders. 2 files in it that git ignores stay in the user's folder.",
      ['- /src/a.ts', '- /src/deep/b.ts'],
    ],
    ['/dist', 'Deleted the folder /dist: 1 file and 1 folder.', ['- /dist/out.js']],
    ['/.venv', 'Deleted the folder /.venv: 2 files and 2 folders.', ['- /.venv/.gitignore', '- /.venv/bin/python']],
    [
      '/logs',
      "Deleted the folder /logs: 1 file and 1 folder. 1 file in it that git ignores stay in the user's folder.",
      ['- /logs/.gitignore'],
    ],
  ])(
    '%s leaves ignored files in the folder of the person, unless they are what it is about',
    async (path, said, steps) => {
      const tools = await openFileTools(project)
      expect((await tools.call('delete', { path })).text).toBe(said)
      expect((await tools.call('ls', { path })).text).toBe(`There is no folder ${path}.`)
      expect(await applied(tools)).toEqual(steps)
    },
  )

  it('takes along an ignored file that the branch wrote', async () => {
    const tools = await openFileTools(project)
    await tools.call('write_file', { file_path: '/src/debug.log', content: 'ours' })
    await tools.call('write_file', { file_path: '/src/new.log', content: 'ours' })
    await tools.call('delete', { path: '/src' })
    expect(await applied(tools)).toEqual(['- /src/a.ts', '- /src/debug.log', '- /src/deep/b.ts'])
  })

  it('that was too large to be listed leaves what is ignored and what came later', async () => {
    const { sources, base } = await openFileTools(project)
    const draft = createOverlayTransaction({ ...sources, tree: emptyTree, pinnedFiles: 0, now: () => 1_000 })
    await draft.delete(at('/src'))
    const later = '/src/deep/later.ts'
    while (((await base.stat(at(later)))?.modified ?? 0) <= 1_000) base.set(later, 'later')
    const steps = await planApply({ ...sources, tree: draft.tree, paths: null })
    expect(steps.map(({ path }) => path)).toEqual(['/src/a.ts', '/src/deep/b.ts'])
  })

  it('that was too large to be listed goes as a whole when nothing in it stays', async () => {
    const { sources } = await openFileTools({ '/src/a.ts': 'a', '/src/deep/b.ts': 'b' })
    const draft = createOverlayTransaction({ ...sources, tree: emptyTree, pinnedFiles: 0, now: () => 1_000 })
    await draft.delete(at('/src'))
    const steps = await planApply({ ...sources, tree: draft.tree, paths: null })
    expect(steps.map(({ path }) => path)).toEqual(['/src', '/src/a.ts', '/src/deep', '/src/deep/b.ts'])
  })

  it('is refused with a repository in it, and with a file that a rule protects', async () => {
    const tools = await openFileTools({ ...project, '/sub/.git/HEAD': 'x', '/sub/a': 'a', '/own/key': 'k' }, {
      deny: ['Edit(own/key)'],
    } as never)
    expect((await tools.call('delete', { path: '/sub' })).text).toMatch(/holds git's own folder/)
    expect((await tools.call('move', { from: '/sub', to: '/other' })).text).toMatch(/git/)
    expect((await tools.call('delete', { path: '/own' })).text).toMatch(/A rule protects/)
    expect((await tools.call('move', { from: '/own', to: '/other' })).text).toMatch(/A rule protects/)
    expect(await applied(tools)).toEqual([])
  })
})

it('a folder that a file tool moves takes everything in it along', async () => {
  const tools = await openFileTools(project)
  await tools.call('move', { from: '/src', to: '/lib' })
  expect(await applied(tools)).toEqual(
    ['a.ts', 'debug.log', 'deep/b.ts', 'deep/notes.log']
      .flatMap((name) => [`+ /lib/${name}`, `- /src/${name}`])
      .sort((a, b) => (a.slice(2) < b.slice(2) ? -1 : 1)),
  )
})
