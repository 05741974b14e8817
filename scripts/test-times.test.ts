import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { longestFirst, together, withReports } from './test-times.ts'

const root = join(import.meta.dirname, '..')

describe('times of test files', () => {
  it('put unmeasured files first, then the longest, and equal ones by name', () => {
    const paths = ['src/a.test.ts', 'src/b.test.ts', 'src/c.test.ts', 'src/new.test.ts'].map((name) => join(root, name))
    const times = { 'src/a.test.ts': 5, 'src/b.test.ts': 900, 'src/c.test.ts': 5 }
    const order = ['src/new.test.ts', 'src/b.test.ts', 'src/a.test.ts', 'src/c.test.ts']
    expect(longestFirst(paths, (path) => path, times)).toEqual(order.map((name) => join(root, name)))
  })

  /** Without it, a run of 604 files in three projects started a process for every second file. */
  it('keep the files of a project together, the one with the longest file first', () => {
    const files = ['unit a', 'processes b', 'unit c', 'integration d', 'processes e']
    const order = ['unit a', 'unit c', 'processes b', 'processes e', 'integration d']
    expect(together(files, (file) => file.split(' ')[0] ?? '')).toEqual(order)
  })

  it('keep the times of files that a run left out, and drop deleted files', () => {
    const report = { testResults: [{ name: join(root, 'src/a.test.ts'), startTime: 100, endTime: 150.4 }] }
    const times = { 'src/z.test.ts': 7, 'src/gone.test.ts': 8, 'src/a.test.ts': 1 }
    const measured = withReports(times, [report], (name) => !name.includes('gone'))
    expect(Object.entries(measured)).toEqual([
      ['src/a.test.ts', 50],
      ['src/z.test.ts', 7],
    ])
  })
})
