import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createOverlayTransaction, emptyTree, patchTree } from '#overlay'
import { at, bytes, openWorld, testTextMerge } from '#overlay/testkit'
import { runs } from '../ports/test-size.testkit.ts'
import { describeChange } from './describe-change.ts'

const world = openWorld({ '/old': 'one\ntwo\n' })

/** Describes the change that writes these files. */
async function describe(files: Readonly<Record<string, string | Uint8Array>>, most = 60_000) {
  const branch = createOverlayTransaction({ ...world, tree: emptyTree })
  for (const [path, content] of Object.entries(files))
    await branch.write(at(path), typeof content === 'string' ? bytes(content) : content)
  const to = patchTree(emptyTree, branch.patch())
  return describeChange({ ...world, textMerge: testTextMerge }, { from: emptyTree, to, most })
}

it('says of each file what it is, and shows its hunks', async () => {
  const { text, unseen } = await describe({ '/old': 'one\n2\n', '/pic': new Uint8Array([0, 1]) })
  expect(text).toBe(
    [
      '=== {"file":"/old","change":"changed","before":"file 100644, 8 bytes","after":"file 100644, 6 bytes"}',
      ...['@@ -1,2 +1,2 @@', ' one', '-two', '+2'],
      '=== {"file":"/pic","change":"new","before":null,"after":"file 100644, 2 bytes"}',
      '(not text)',
    ].join('\n'),
  )
  expect(unseen).toEqual([])
})

// Mutation: read a large file like any other, which throws.
it('names a file that is too large to be stored, which nobody has seen then', async () => {
  const large = openWorld({ '/big': 'x'.repeat(20) }, undefined, 10)
  const to = await large.change(emptyTree, (draft) => draft.move(at('/big'), at('/moved')))
  const { text, unseen } = await describeChange(
    { ...large, textMerge: testTextMerge },
    { from: emptyTree, to, most: 60_000 },
  )
  expect(text).toMatch(/^=== \{"file":"\/moved".*"was":"\/big".*\n\(too large\)$/)
  expect(unseen).toEqual(['/moved'])
})

const name = fc
  .array(fc.constantFrom('a', 'b', '\n', '=== {}', '"', '\u202e', ' ', 'cut'), { minLength: 1, maxLength: 4 })
  .map((parts) => `/${parts.join('')}`)
const content = fc.array(fc.constantFrom('x\n', '=== {"file":"/b"}\n', '\n', '… cut', 'long\n'.repeat(700)), {
  maxLength: 6,
})

// Mutation: name files as they are, or leave a file that was cut out of `unseen`.
it('no name and no content reads as another file, and what is not there whole is told', async () => {
  const files = fc.dictionary(
    name,
    content.map((parts) => parts.join('')),
    { minKeys: 1, maxKeys: 4 },
  )
  const property = fc.asyncProperty(files, fc.constantFrom(200, 4_000, 60_000), async (written, most) => {
    const { text, unseen } = await describe(written, most)
    const added = new Map<string, number>()
    let at = ''
    for (const line of text.split('\n')) {
      if (line.startsWith('=== ')) {
        const head = JSON.parse(line.slice(4)) as { file?: string; files?: readonly string[] }
        at = head.file ?? ''
        for (const file of head.files ?? [at]) added.set(file, 0)
      } else if (line.startsWith('+')) added.set(at, (added.get(at) ?? 0) + 1)
    }
    expect([...added.keys()].sort()).toEqual(Object.keys(written).sort())
    for (const [path, whole] of Object.entries(written)) {
      const lines = whole.split('\n').length - (whole.endsWith('\n') || whole === '' ? 1 : 0)
      if (added.get(path) !== lines) expect(unseen, path).toContain(path)
    }
  })
  await fc.assert(property, runs(60))
})
