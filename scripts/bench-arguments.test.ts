import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { areas, partsOf } from '../bench/src/areas.ts'
import { describeParts, readBenchArguments } from './bench-arguments.ts'

const problemOf = (...args: string[]): string => {
  const request = readBenchArguments(args)
  return request.kind === 'refused' ? request.problem : ''
}

describe('the arguments of the benchmark', () => {
  it('measures one part of one area', () => {
    expect(readBenchArguments(['workspace', '--only=reads', '--quick'])).toEqual({
      kind: 'measure',
      areas: ['workspace'],
      flags: ['--only=reads', '--quick'],
    })
  })

  it('measures every area when none is named, and opening a folder after the workspace', () => {
    expect(readBenchArguments([])).toMatchObject({ areas: Object.keys(areas) })
    expect(readBenchArguments(['workspace', 'workspace'])).toMatchObject({ areas: ['workspace', 'open'] })
  })

  it.each(['forks,reads', 'forks,forks', 'fork', 'toString', ''])(
    'refuses --only=%s with the parts that exist',
    (part) => {
      expect(problemOf('workspace', `--only=${part}`)).toBe(
        `There is no part "${part}" of workspace. Parts of workspace: ${partsOf('workspace').join(', ')}.`,
      )
    },
  )

  it('refuses two parts, also the same one twice', () => {
    for (const second of ['--only=reads', '--only=forks'])
      expect(problemOf('workspace', '--only=forks', second)).toContain('Parts of workspace: forks, memory')
  })

  it('refuses a part of an area without parts', () => {
    expect(problemOf('race', '--only=memory')).toContain('The area race has no parts')
  })

  it('refuses a part without exactly one area, with all parts', () => {
    expect(problemOf('--only=memory')).toContain(describeParts())
    expect(problemOf('workspace', 'window', '--only=memory')).toContain(describeParts())
  })

  it('refuses an area or a flag that it does not know', () => {
    expect(problemOf('workspaces')).toContain('There is no area "workspaces"')
    expect(problemOf('store', '--only')).toContain('There is no area "--only"')
  })

  it('ends with exit code 2 before it builds or measures', () => {
    const script = join(import.meta.dirname, 'bench.mjs')
    const ended = spawnSync(process.execPath, [script, 'workspace', '--only=forks,reads'], { encoding: 'utf8' })
    expect(ended.status).toBe(2)
    expect(ended.stdout).toBe('')
    expect(ended.stderr).toContain('Parts of workspace: forks, memory, searches')
  })
})

it('has a file for each area, which measures the parts of the list', () => {
  for (const area of Object.keys(areas) as (keyof typeof areas)[]) {
    const text = readFileSync(join(import.meta.dirname, `../bench/src/${area}.ts`), 'utf8')
    expect(text.includes(`measureParts('${area}'`), area).toBe(partsOf(area).length > 0)
  }
})
