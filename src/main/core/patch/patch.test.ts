import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyTree } from '../overlay/tree.ts'
import { at, bytes, openWorld, testDeflate, testHashing } from '../overlay/tree-fixtures.suite.ts'
import type { BaseFixture } from '../ports/base-tree.memory.ts'
import { runs } from '../ports/test-size.suite.ts'
import { decodeLines, encodeLines } from './base85.ts'
import { quoteName, readName } from './patch-names.ts'
import { applyWithGit, carriedOf, exported, snapshotOf } from './patch-world.suite.ts'
import { verifyPatch } from './verify-patch.ts'

describe('git patch', () => {
  it('is nothing when nothing changed', async () => {
    const world = openWorld({ '/a': 'x' })
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/a'), bytes('x')))
    expect(await exported(world, tree)).toMatchObject({ files: [], patch: new Uint8Array(), leftOut: [] })
  })

  it('says what git would say for each kind of change', async () => {
    const world = openWorld({ '/mod': 'a\nb', '/gone': 'g\n', '/old name': 'same\n', '/bin': 'a\0', '/run': '#!\n' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.write(at('/mod'), bytes('a\nB\n'))
      await draft.delete(at('/gone'))
      await draft.move(at('/old name'), at('/n\tew'))
      await draft.write(at('/bin'), bytes('b\0'))
      await draft.setExecutable(at('/run'), true)
      await draft.write(at('/em pty'), bytes(''))
      await draft.makeSymlink(at('/link'), 'mod')
      await draft.makeDirectory(at('/nothing/in'))
    })
    const { text, fault, leftOut } = await exported(world, tree)
    expect(fault).toBeNull()
    expect(leftOut.map(({ path }) => path)).toEqual(['/nothing/in'])
    const id = (content: string) => testHashing.gitObjectId(bytes(content))
    for (const part of [
      `diff --git a/mod b/mod\nindex ${id('a\nb')}..${id('a\nB\n')} 100644\n--- a/mod\n+++ b/mod\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+B\n`,
      `diff --git a/gone b/gone\ndeleted file mode 100644\nindex ${id('g\n')}..${'0'.repeat(40)}\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-g\n`,
      'diff --git a/old name "b/n\\tew"\nsimilarity index 100%\nrename from old name\nrename to "n\\tew"\n',
      'diff --git a/run b/run\nold mode 100644\nnew mode 100755\n',
      `diff --git "a/em pty" "b/em pty"\nnew file mode 100644\nindex ${'0'.repeat(40)}..${id('')}\n`,
      `new file mode 120000\nindex ${'0'.repeat(40)}..${id('mod')}\n--- /dev/null\n+++ b/link\n@@ -0,0 +1 @@\n+mod\n\\ No newline at end of file\n`,
      'GIT binary patch\nliteral 2\n',
    ]) {
      expect(text).toContain(part)
    }
  })

  it('carries chosen files only, with what they need', async () => {
    const world = openWorld({ '/a': 'a', '/b': 'b', '/x': 'x' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.move(at('/a'), at('/s/a'))
      await draft.write(at('/b'), bytes('B'))
      await draft.delete(at('/x'))
      await draft.write(at('/x/in'), bytes('in'))
    })
    expect((await exported(world, tree, ['/a'])).files.map(({ path }) => path)).toEqual(['s/a'])
    const inside = await exported(world, tree, ['/x/in'])
    expect([inside.files.map(({ path }) => path), inside.fault]).toEqual([['x', 'x/in'], null])
  })

  it('leaves out what git cannot create in the place of a link', async () => {
    const link = (target: string) => ({ kind: 'symlink' as const, target })
    const world = openWorld({
      '/a': link('a'),
      '/b': link('d'),
      '/d': link('b'),
      '/fine': link('q'),
      '/q': 'q',
      '/r': 'r',
      '/s/self': link('../s'),
    })
    const tree = await world.change(emptyTree, async (draft) => {
      for (const path of ['/a', '/b', '/fine']) await draft.delete(at(path))
      await draft.write(at('/a/new'), bytes('new'))
      await draft.move(at('/r'), at('/b/in/r'))
      await draft.move(at('/q'), at('/fine/q'))
      await draft.delete(at('/s/self'))
      await draft.write(at('/s/self/self/in'), bytes('in'))
      await draft.write(at('/s/self/taken'), bytes('taken'))
    })
    const { patch, leftOut, fault, files } = await exported(world, tree)
    expect(fault).toBeNull()
    expect(leftOut).toEqual([
      { path: '/a/new', why: 'Git cannot create it below /a, which is a link until the patch is applied.' },
      { path: '/b/in/r', why: 'Git cannot create it below /b, which is a link until the patch is applied.' },
      { path: '/r', why: 'It was moved to /b/in/r, which is left out.' },
      {
        path: '/s/self/self/in',
        why: 'Git cannot create it below /s/self, which is a link until the patch is applied.',
      },
    ])
    expect(files.map(({ path }) => path)).toEqual(['a', 'b', 'fine', 'fine/q', 's/self', 's/self/taken'])
    const wanted = await carriedOf(world, tree, leftOut)
    expect(applyWithGit(await snapshotOf(world, emptyTree), patch)).toEqual(wanted)
    expect(Object.keys(wanted)).toEqual(['/d', '/fine/q', '/r', '/s/self/taken'])
  })

  it('notices a patch that gives something else', async () => {
    const world = openWorld({ '/a': 'one\ntwo\n' })
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/a'), bytes('one\n2\n')))
    const { patch, files, base } = await exported(world, tree)
    const damaged = Buffer.from(Buffer.from(patch).toString('latin1').replace('+2', '+3'), 'latin1')
    expect(verifyPatch({ patch: damaged, files, base, deflate: testDeflate })).toBe('a has other content.')
    const cut = patch.slice(0, patch.length - 4)
    expect(verifyPatch({ patch: cut, files, base, deflate: testDeflate })).not.toBeNull()
  })

  it('gives git and its own reader the very same files, for any names and contents', async () => {
    let files = 0
    await fc.assert(
      fc.asyncProperty(fixtures, operations, async (base, steps) => {
        const world = openWorld(base)
        const tree = await world.change(emptyTree, async (draft) => {
          for (const step of steps) await run(draft, step).catch(ignoreRefused)
        })
        const { patch, fault, files: written, leftOut } = await exported(world, tree)
        files += written.length
        expect(fault).toBeNull()
        const wanted = await carriedOf(world, tree, leftOut)
        expect(applyWithGit(await snapshotOf(world, emptyTree), patch)).toEqual(wanted)
      }),
      runs(500),
    )
    expect(files).toBeGreaterThan(500)
  }, 600_000)
})

describe('parts of a patch', () => {
  it('base 85 gives back every byte', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (content) => {
        expect(decodeLines(encodeLines(content))).toEqual(content)
      }),
    )
    expect(() => decodeLines(['B~~~~~'])).toThrow(RangeError)
    expect(() => decodeLines(['A0'])).toThrow(RangeError)
  })

  it('names are read as they were written', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', '\t', '\n', 'é', '\x01', '字'), minLength: 1 }),
        (name) => {
          expect(readName(quoteName(name))?.name).toBe(name)
        },
      ),
    )
  })
})

const names = [
  'a',
  'b',
  'sp ace',
  'trail ',
  'tab\tname',
  'new\nline',
  'quo"te',
  'back\\slash',
  'é',
  '字',
  '-dash',
  'd',
  'dev',
  'null',
]
const paths = fc
  .array(fc.constantFrom(...names), { minLength: 1, maxLength: 2 })
  .map((parts) => at(`/${parts.join('/')}`))
const contents = fc.oneof(
  fc.constantFrom(
    '',
    '\n',
    'one',
    'one\n',
    'a\r\nb\r\n',
    '--- a/x\n+++ b/x\n',
    'diff --git a/a b/a\n',
    '\\ No newline at end of file\n',
    '\0bin',
    'lone\rcr',
  ),
  fc
    .array(fc.constantFrom('x\n', 'y\n', 'z\n', '@@ -1 +1 @@\n', '-\n', '+'), { maxLength: 30 })
    .map((lines) => lines.join('')),
  fc.uint8Array({ maxLength: 200 }),
)
const toBytes = (content: string | Uint8Array) => (typeof content === 'string' ? bytes(content) : content)

const fixture: fc.Arbitrary<BaseFixture> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('file' as const), content: contents, executable: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('symlink' as const), target: fc.constantFrom('a', 'b/c', 'tar get') }),
  },
)
/** A file where another needs a folder is left out. */
const fixtures = fc.array(fc.tuple(paths, fixture), { maxLength: 10 }).map((all) => {
  const kept = new Map<string, BaseFixture>()
  for (const [path, one] of all) {
    const clash = [...kept.keys()].some(
      (known) => known === path || known.startsWith(`${path}/`) || path.startsWith(`${known}/`),
    )
    if (!clash) kept.set(path, one)
  }
  return Object.fromEntries(kept)
})

type Draft = ReturnType<ReturnType<typeof openWorld>['draft']>
const operation = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path: paths, content: contents }),
  fc.record({ do: fc.constant('delete' as const), path: paths }),
  fc.record({ do: fc.constant('move' as const), path: paths, to: paths }),
  fc.record({ do: fc.constant('mode' as const), path: paths, executable: fc.boolean() }),
  fc.record({ do: fc.constant('link' as const), path: paths, target: fc.constantFrom('a', 'x y') }),
)
const operations = fc.array(operation, { minLength: 1, maxLength: 12 })

async function run(
  draft: Draft,
  step: typeof operation extends fc.Arbitrary<infer Step> ? Step : never,
): Promise<unknown> {
  switch (step.do) {
    case 'write':
      return draft.write(step.path, toBytes(step.content))
    case 'delete':
      return draft.delete(step.path)
    case 'move':
      return draft.move(step.path, step.to)
    case 'mode':
      return draft.setExecutable(step.path, step.executable)
    case 'link':
      return draft.makeSymlink(step.path, step.target)
  }
}

function ignoreRefused(error: unknown): void {
  const expected = error instanceof Error && ['FileTreeError', 'BaseTreeError'].includes(error.name)
  if (!expected) throw error
}
