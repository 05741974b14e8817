import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { MountChange } from '#core/ports/branch-mounts.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { createMountBase } from './mount-base.ts'
import { takeChanges } from './taken-changes.ts'

const at = (path: string) => path as VirtualPath
const file = (path: string, size: number): MountChange => ({
  ...{ kind: 'file', path: at(path), executable: false },
  bytes: new Uint8Array(size),
})
const nothing = createMountBase([], null)

it('holds as many files as fit, the smallest first, and names every other one', () => {
  const property = fc.property(
    fc.array(fc.nat(20), { maxLength: 40 }),
    fc.nat(100),
    fc.nat(20),
    (sizes, bytes, files) => {
      const taken = takeChanges({ bytes, files })
      for (const [index, size] of sizes.entries()) taken.add(file(`/${index}`, size))
      const { changes, notKept } = taken.finish(nothing)
      const kept = changes.map((change) => (change.kind === 'file' ? change.bytes.length : 0))
      const left = notKept.map(({ size }) => size)
      expect([...changes, ...notKept].map(({ path }) => path).sort()).toEqual(
        sizes.map((_, index) => `/${index}`).sort(),
      )
      const total = kept.reduce((sum, size) => sum + size, 0)
      expect(kept.length <= files && total <= bytes).toBe(true)
      const smallest = Math.min(...left)
      if (left.length === 0) return
      expect(Math.max(0, ...kept)).toBeLessThanOrEqual(smallest)
      expect(kept.length === files || total + smallest > bytes).toBe(true)
    },
  )
  fc.assert(property, { numRuns: 300 })
})

it('keeps a removed or replaced file whose content may be in one that does not fit, and removes the others', () => {
  const given = (path: string, size: number) => ({
    ...{ kind: 'file', path: at(path), executable: false, content: path as never },
    read: () => new Uint8Array(size),
  })
  const base = createMountBase([given('/moved/a', 9), given('/old', 3), given('/replaced', 9)] as never, null)
  const taken = takeChanges({ bytes: 8, files: 9 })
  for (const path of ['/moved', '/old']) taken.add({ kind: 'absent', path: at(path) })
  taken.add(file('/replaced', 1))
  taken.add(file('/to/a', 9))
  expect(taken.finish(base)).toEqual({
    changes: [{ kind: 'absent', path: '/old' }],
    notKept: [
      { path: '/to/a', size: 9, why: 'too_much' },
      { path: '/moved', size: 0, why: 'only_copy' },
      { path: '/replaced', size: 0, why: 'only_copy' },
    ],
  })
})
