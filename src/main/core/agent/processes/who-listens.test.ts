import { expect, it } from 'vitest'
import { findWhoListens } from './who-listens.ts'

const holding = (...ports: readonly number[]) => ({ findPorts: async () => ports })

it('gives each port to the process that listens, and the others to the branch', async () => {
  expect(await findWhoListens([80, 3000, 5173], [holding(), holding(5173, 22), holding(80)])).toEqual([
    { ports: [], branchPorts: [3000] },
    { ports: [5173], branchPorts: [3000] },
    { ports: [80], branchPorts: [3000] },
  ])
})
