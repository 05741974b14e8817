import { expect, it } from 'vitest'
import type { FileChange } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { foldReasonOf } from './fold-reason.ts'

const change = (path: string, lines = 10): FileChange => ({
  path: path as VirtualPath,
  kind: 'modify',
  size: 1,
  added: lines,
  removed: 0,
  binary: false,
})

it('folds lock files, generated files and very large changes, and nothing that a person wrote', () => {
  for (const path of ['/package-lock.json', '/api/Cargo.lock', '/go.sum']) {
    expect(foldReasonOf(change(path))).toBe('lock')
  }
  for (const path of ['/a/app.min.js', '/web/dist/app.js', '/test/__snapshots__/a.snap', '/api/user_pb2.py']) {
    expect(foldReasonOf(change(path))).toBe('generated')
  }
  for (const path of ['/src/build.ts', '/src/distance/a.ts', '/lock.ts', '/src/output.js', '/minutes.js']) {
    expect(foldReasonOf(change(path))).toBeNull()
  }
  expect(foldReasonOf(change('/a.ts', 5001))).toBe('large')
  expect(foldReasonOf(change('/a.ts', 5000))).toBeNull()
})
