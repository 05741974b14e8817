import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { emptyTree } from '../tree/tree.ts'
import { at, bytes, openWorld, testDeflate, testHashing } from '../tree/tree-fixtures.testkit.ts'
import { verifyPatch } from './apply-patch.ts'
import { decodeLines, encodeLines } from './base85.ts'
import { quoteName, readName } from './patch-file.ts'
import { appliedByGit, carriedOf, exported, pace, snapshotOf } from './patch-world.testkit.ts'

describe('git patch', () => {
  it('is empty when nothing changed', async () => {
    const world = openWorld({ '/a': 'x' })
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/a'), bytes('x')))
    expect(await exported(world, tree)).toMatchObject({ files: [], patch: new Uint8Array(), leftOut: [] })
  })

  it("matches git's output for each kind of change", async () => {
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

  // Mutation: let `changesOnlyMode` say false, or `modesLeftOut` return nothing.
  it('names permissions that git does not store, and changes nothing for them', async () => {
    const world = openWorld({ '/key': 'k', '/both': 'b', '/usual': 'u' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.write(at('/key'), bytes('k'), { executable: false, mode: 0o600 })
      await draft.write(at('/both'), bytes('B'), { executable: true, mode: 0o750 })
      await draft.write(at('/usual'), bytes('U'), { executable: false, mode: 0o644 })
    })
    const { files, leftOut, fault, text } = await exported(world, tree)
    expect([files.map(({ path }) => path), fault]).toEqual([['both', 'usual'], null])
    expect(text).toContain('new mode 100755')
    expect(leftOut.map(({ path, why }) => `${path} ${why.split(',')[0]}`)).toEqual([
      '/both Only its permissions (750)',
      '/key Only its permissions (600)',
    ])
  })

  it('carries only chosen files and what they need', async () => {
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

  it('leaves out what git cannot create in place of a link', async () => {
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
    expect(await appliedByGit(await snapshotOf(world, emptyTree), patch)).toEqual({
      repository: wanted,
      folder: wanted,
    })
    expect(Object.keys(wanted)).toEqual(['/d', '/fine/q', '/r', '/s/self/taken'])
  })

  it('leaves out links that git would take for .gitmodules, and carries the rest', async () => {
    const world = openWorld({ '/sub/.gitmodules': { kind: 'symlink', target: 'a' }, '/a': 'a' })
    const tree = await world.change(emptyTree, async (draft) => {
      await draft.move(at('/sub/.gitmodules'), at('/kept'))
      for (const name of ['.GitModules', 'gitmod~1']) await draft.makeSymlink(at(`/${name}`), 'a')
      await draft.write(at('/x/.gitmodules'), bytes('a file'))
    })
    const { patch, leftOut, fault, files } = await exported(world, tree)
    expect(fault).toBeNull()
    expect(leftOut.map(({ path }) => path).sort()).toEqual(['/.GitModules', '/gitmod~1', '/kept', '/sub/.gitmodules'])
    expect(files.map(({ path }) => path)).toEqual(['x/.gitmodules'])
    const wanted = { ...(await snapshotOf(world, emptyTree)), ...(await carriedOf(world, tree, leftOut)) }
    expect(await appliedByGit(await snapshotOf(world, emptyTree), patch)).toMatchObject({ repository: wanted })
  })

  it('notices a patch with a different result', async () => {
    const world = openWorld({ '/a': 'one\ntwo\n' })
    const tree = await world.change(emptyTree, (draft) => draft.write(at('/a'), bytes('one\n2\n')))
    const { patch, files, base } = await exported(world, tree)
    const damaged = Buffer.from(Buffer.from(patch).toString('latin1').replace('+2', '+3'), 'latin1')
    expect(await verifyPatch({ patch: damaged, files, base, deflate: testDeflate, pace })).toBe('a has other content.')
    const cut = patch.slice(0, patch.length - 4)
    expect(await verifyPatch({ patch: cut, files, base, deflate: testDeflate, pace })).not.toBeNull()
  })
})

describe('parts of a patch', () => {
  it('base 85 returns every byte unchanged', () => {
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
