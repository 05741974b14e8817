import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { changeBranch } from '#core/commands/changes.ts'
import { repeats, timeLimit } from '#core/ports/test-size.testkit.ts'
import { createOverlayTransaction } from '#overlay'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { openCheckoutWorld, textAt } from './checkout-world.testkit.ts'

const saves = repeats(1_000, 20_000)
/** Not a multiple of the number of ways to save, so that each file is saved in every way. */
const files = 10

/**
 * Mutation: let `takeBack` agree to nothing that it took (`core/checkouts/checkout.ts`).
 *
 * A program saves its files in every way while an agent edits the files beside them, and while both edit other lines of the
 * same files: in the end both sides have the last version of everything.
 */
it(`loses no update of either side in ${saves} saves while an agent edits neighbours`, {
  timeout: timeLimit(60_000),
}, async () => {
  const lines = `for f in 0 1 2; do seq 30 > shared$f; done; for f in $(seq 0 ${files - 1}); do echo > $f; done`
  await using world = await openCheckoutWorld(`${lines}; git add -A; git commit -qm first`)
  const { services, run } = world.project
  const { folder, checkoutId } = await world.open()

  /** As an agent's tool does: read, edit, commit if nobody moved the file meanwhile. */
  async function edit(path: string, change: (text: string) => string): Promise<void> {
    for (;;) {
      const draft = createOverlayTransaction({ ...services, tree: world.head() })
      const text = (await draft.stat(path as VirtualPath))
        ? new TextDecoder().decode(await draft.read(path as VirtualPath))
        : ''
      await draft.write(path as VirtualPath, new TextEncoder().encode(change(text)))
      try {
        run(changeBranch(services, world.branchId, draft.patch()))
        return
      } catch (error) {
        if (!String(error).includes('changed while this was prepared')) throw error
      }
    }
  }
  const program = join(import.meta.dirname, 'saving-editor.testkit.ts')
  const editor = spawn(process.execPath, [program, folder, String(files), String(saves)], { stdio: 'inherit' })
  const ended = once(editor, 'exit')
  let isRunning = true
  void ended.then(() => {
    isRunning = false
  })
  let round = 0
  while (isRunning || round < 30) {
    const shared = `shared${round % 3}`
    const place = join(folder, shared)
    writeFileSync(place, readFileSync(place, 'utf8').replace(/^.*\n/, `mine ${round}\n`))
    await edit(`/${shared}`, (text) => text.replace(/\n.*\n$/, `\ntheirs ${round}\n`))
    await edit(`/beside${round % 5}`, () => `agent ${round}`)
    round += 1
    await setImmediate()
  }
  expect((await ended)[0]).toBe(0)
  await world.settle()
  expect(world.project.checkouts.list(world.branchId)[0]?.conflicts).toEqual([])
  const last = (residue: number, of: number) => `${round - 1 - ((round - 1 - residue) % of)}`
  const expected: [string, string][] = [
    ...Array.from({ length: files }, (_, at): [string, string] => [String(at), `${saves - files + at}`]),
    ...[0, 1, 2].map((at): [string, string] => [`shared${at}`, `mine ${last(at, 3)} theirs ${last(at, 3)}`]),
    ...[0, 1, 2, 3, 4].map((at): [string, string] => [`beside${at}`, `agent ${last(at, 5)}`]),
  ]
  const ends = (text: string | null) => text?.replace(/^(mine \d+)\n[\s\S]*\n(theirs \d+)\n$/, '$1 $2')
  expect(expected.map(([path]) => [path, ends(textAt(folder, path))])).toEqual(expected)
  expect(await Promise.all(expected.map(async ([path]) => [path, ends(await world.text(`/${path}`))]))).toEqual(
    expected,
  )
  expect(await world.paths(), 'nothing of how a program saves stays').toHaveLength(files + 3 + 5)
  await world.close(checkoutId)
})
