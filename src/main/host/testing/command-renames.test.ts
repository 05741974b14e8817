import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { sandboxHere } from '#adapters/shell/sandbox-here.testkit.ts'
import type { MountChange, MountEntry } from '#core/ports/branch-mounts.ts'
import { runs } from '#core/ports/test-size.testkit.ts'
import type { BlobHash } from '#shared/model/ids.ts'
import { type CommandsWorld, openCommandsWorld } from './commands-world.testkit.ts'

const { state } = await sandboxHere('renames of folders')

let world: CommandsWorld
const bare = mkdtempSync(join(tmpdir(), 'coppice-renames-'))
beforeAll(async () => {
  world = await openCommandsWorld()
  for (const path of ['a/one', 'a/deep/two', 'a/deep/er/three', 'b/four', 'c/five', 'node_modules/x/six']) {
    mkdirSync(dirname(join(world.root, 'w', path)), { recursive: true })
    writeFileSync(join(world.root, 'w', path), `${path}\n`)
  }
})
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  rmSync(bare, { recursive: true })
})

type Rename = readonly [from: string, to: string]
/** Renames one after the other, and says how each ended and what is where then. */
const script = (renames: readonly Rename[]) =>
  `node -e '
for (const [from, to] of JSON.parse(process.argv[1])) {
  try { fs.renameSync(from, to); console.log("ok") } catch ({ code }) { console.log(code) }
}' '${JSON.stringify(renames)}'; find . -type f -exec sh -c 'echo "$1 $(cat "$1")"' sh {} \\; | sort; find . -type d | sort`

/** The changes of a command as those of its branch. */
function entriesOf(changes: readonly MountChange[]): readonly MountEntry[] {
  return changes.flatMap((change): readonly MountEntry[] => {
    switch (change.kind) {
      case 'file': {
        const { path, bytes, executable } = change
        return [
          { kind: 'file', path, executable, content: Buffer.from(bytes).toString() as BlobHash, read: () => bytes },
        ]
      }
      case 'directory':
        return [{ ...change, opaque: true }]
      case 'large':
        return []
      default:
        return [change]
    }
  })
}

const place = fc.constantFrom(
  'a',
  'a/deep',
  'a/deep/er',
  'a/new',
  'b',
  'b/in',
  'c',
  'd',
  'node_modules/x',
  'node_modules/y',
)
const renames = fc.array(fc.tuple(place, place), { minLength: 2, maxLength: 5 })

describe.skipIf(state !== 'on')('a program in a view', () => {
  it('renames folders with the results of a plain disk, in the first command, later ones and a fork', async () => {
    let count = 0
    const property = fc.asyncProperty(renames, renames, async (first, second) => {
      count += 1
      const [owner, fork, folder] = [`one ${count}`, `fork ${count}`, join(bare, String(count))]
      cpSync(join(world.root, 'w'), folder, { recursive: true })
      const outside = (some: readonly Rename[]) =>
        execFileSync('bash', ['-c', script(some)], { cwd: folder, encoding: 'utf8' })
      const inside = await world.run(`cd w; ${script(first)}`, { owner })
      expect(inside.output).toBe(outside(first))
      const overlay = entriesOf(inside.changes)
      world.fork(owner, fork)
      const expected = outside(second)
      for (const who of [owner, fork])
        expect((await world.run(`cd w; ${script(second)}`, { owner: who, overlay })).output).toBe(expected)
    })
    await fc.assert(property, runs(2))
  })

  it('moves a folder with git, and the change is a move of each of its files', async () => {
    const { output, changes } = await world.run(
      'git init -q; git add w; git mv w/a w/z; git status --short | grep -c ^A; ls -A w',
      { owner: 'git' },
    )
    expect(output).toBe('5\nb\nc\nnode_modules\nz\n')
    expect(changes.map(({ kind, path }) => `${kind} ${path}`)).toEqual([
      'absent /w/a',
      'file /w/z/deep/er/three',
      'file /w/z/deep/two',
      'file /w/z/one',
    ])
  })

  it('ends as its last process does, with what it was given', async () => {
    expect(await world.run('cat; exit 3', { input: 'given\n' })).toMatchObject({ output: 'given\n', exitCode: 3 })
    expect((await world.run('kill -9 $$')).exitCode).toBe(137)
  })
})
