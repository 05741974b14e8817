import fc from 'fast-check'
import type { BaseFixture } from '../tree/in-memory-base-tree.ts'
import type { OverlayTransaction } from '../tree/overlay-transaction.ts'
import { at, bytes } from '../tree/tree-fixtures.testkit.ts'

/** Arbitrary small trees and changes of them, with names and contents that are hard for patches. */
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
  'e\u0301',
  '\x7f',
  '{a,b}',
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
/** Leaves out a file where another one needs a folder. */
export const fixtures = fc.array(fc.tuple(paths, fixture), { maxLength: 10 }).map((all) => {
  const kept = new Map<string, BaseFixture>()
  for (const [path, one] of all) {
    const clash = [...kept.keys()].some(
      (known) => known === path || known.startsWith(`${path}/`) || path.startsWith(`${known}/`),
    )
    if (!clash) kept.set(path, one)
  }
  return Object.fromEntries(kept)
})

const operation = fc.oneof(
  fc.record({ do: fc.constant('write' as const), path: paths, content: contents }),
  fc.record({ do: fc.constant('delete' as const), path: paths }),
  fc.record({ do: fc.constant('move' as const), path: paths, to: paths }),
  fc.record({ do: fc.constant('mode' as const), path: paths, executable: fc.boolean() }),
  fc.record({ do: fc.constant('link' as const), path: paths, target: fc.constantFrom('a', 'x y') }),
)
export const operations = fc.array(operation, { minLength: 1, maxLength: 12 })

type Operation = typeof operation extends fc.Arbitrary<infer Step> ? Step : never

/** Carries out one step. A step that the draft refuses is left out of the case. */
export async function carryOut(draft: OverlayTransaction, step: Operation): Promise<void> {
  await run(draft, step).catch((error: unknown) => {
    if (!(error instanceof Error && ['FileTreeError', 'BaseTreeError'].includes(error.name))) throw error
  })
}

async function run(draft: OverlayTransaction, step: Operation): Promise<unknown> {
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
