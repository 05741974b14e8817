import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createSearchIndex } from './search-index.ts'

/** Says that too many files match below `/wide`, and cannot tell elsewhere. Asked for its state, it counts its answers. */
const thread = `
  import { parentPort } from 'node:worker_threads'
  let answers = 0
  parentPort.on('message', ({ id, question }) => {
    if (question.kind === 'state') return parentPort.postMessage({ id, answer: answers })
    answers += 1
    parentPort.postMessage({ id, answer: question.path.startsWith('/wide') ? 'too_many' : null })
  })
`

it.runIf(process.platform === 'linux')('does not ask again about a pattern of too many files', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-wide-'))
  const workerPath = join(folder, 'thread.mjs')
  writeFileSync(workerPath, thread)
  await using index = createSearchIndex({ folder, rootFolder: folder, hidden: null, workerPath })
  const plain = { context: 0, caseInsensitive: false, literal: true, multiline: false }
  const asked = async (pattern: string, path: string) => {
    const before = Number(await index.state())
    expect(await index.candidates({ ...plain, pattern }, path as VirtualPath)).toBeNull()
    return Number(await index.state()) - before
  }
  expect(await asked('needle', '/wide')).toBe(1)
  expect(await asked('needle', '/wide')).toBe(0)
  expect(await asked('needle', '/wide/below')).toBe(1)
  expect(await asked('another', '/wide')).toBe(1)
  // An index that is behind answers later.
  expect(await asked('needle', '/behind')).toBe(1)
  expect(await asked('needle', '/behind')).toBe(1)
  rmSync(folder, { recursive: true, force: true })
})
