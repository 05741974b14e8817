import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { procedures } from '../../src/shared/contract/procedures.testkit.ts'
import { isWithin, root, source } from '../structure/sources.mjs'
import { rows } from './doors.ts'
import { findDoors, kinds, promisesOf } from './find-doors.ts'
import { procedureGuards } from './procedures-by-guards.ts'
import { promised } from './promises.ts'
import { guards, tools } from './tools-by-guards.ts'

const found = findDoors()
const textOf = (file: string) => (existsSync(join(source, file)) ? readFileSync(join(source, file), 'utf8') : '')

/** Mutation: leave a row out of `doors.ts`, or open a file, listen or start a program in a new file of `src/main`. */
describe.each(kinds.filter((kind) => kind !== 'tools' && kind !== 'promises'))('the doors of the kind %s', (kind) => {
  const own = rows.filter((row) => row.kind === kind)

  it('are found, and each has a guard', () => {
    expect(found[kind].length).toBeGreaterThan(0)
    expect(found[kind].filter((door) => !own.some(({ doors }) => doors.some((one) => isWithin(door, one))))).toEqual([])
  })

  it('are all there: no row guards what is gone', () => {
    const named = own.flatMap(({ doors }) => doors)
    expect(named.filter((one) => !found[kind].some((door) => isWithin(door, one)))).toEqual([])
  })
})

it.each(rows.map((row) => [row.guard, row] as const))('has a test and a mutation that exist: %s', (_, row) => {
  const [test, title] = row.test
  expect(textOf(test), test).toContain(title)
  const [place, text] = row.mutation
  expect(textOf(place).split(text), place).toHaveLength(2)
})

// Mutation: add a field to the contract without a most, or a path that is a plain text.
it.each(procedureGuards)('the procedures of the contract: $guard', ({ isAbout, holds }) => {
  const about = procedures.filter(isAbout)
  expect(about.length).toBeGreaterThan(20)
  expect(about.filter((one) => !holds(one)).map(({ name }) => name)).toEqual([])
})

// Mutation: leave a kind of schema out of `fieldsOf`.
it('every field of the contract is of a kind that a guard knows', () => {
  const unknown = procedures.flatMap(({ name, fields }) =>
    fields.flatMap((field) => (field.kind === 'unknown' ? [`${name}.${field.name}`] : [])),
  )
  expect(unknown).toEqual([])
})

/** Mutation: leave `resourceLimits` out of any of them. The limit of a program holds on Linux, this one everywhere. */
it('every thread has a limit of memory', () => {
  const starts = found.programs.flatMap((file) => textOf(file).match(/new Worker\((?:[^()]|\([^()]*\))*\)/g) ?? [])
  expect(starts.length).toBeGreaterThan(2)
  expect(starts.filter((start) => !start.includes('resourceLimits'))).toEqual([])
})

describe('tools', () => {
  const cells = tools.flatMap((tool) =>
    guards.flatMap((guard) => (guard.isAbout(tool) ? [[tool.name, guard.name, tool, guard] as const] : [])),
  )

  it.each(cells)('%s: %s', (_tool, _guard, tool, guard) => {
    expect(guard.holds(tool)).toBe(true)
  })

  it('have mutations that exist', () => {
    const policy = textOf('main/core/approval/policy.ts')
    for (const { mutation } of guards) expect(policy.split(mutation[0]), mutation[0]).toHaveLength(2)
  })

  it('each fall under the rules that deny and ask, but for the question', () => {
    const free = tools.filter((tool) => guards.filter(({ isAbout }) => isAbout(tool)).length < 2)
    expect(free.map(({ name }) => name)).toEqual(['ask_user'])
  })
})

describe('docs/security.md', () => {
  const page = readFileSync(join(root, 'docs/security.md'), 'utf8')
  const known = new Set([...rows.map(({ guard }) => guard), ...guards.map(({ name }) => name)])
  const [, model = '', rest = ''] = /## Threat model\n(.*?)\n## Promises\n(.*)/s.exec(page) ?? []

  it('names guards that exist in its threat model, at least one for each attacker', () => {
    const attackers = model.split('\n').filter((line) => /^\| (?!who \|)[a-z]/.test(line))
    expect(attackers.length).toBeGreaterThan(8)
    for (const line of attackers) {
      const named = [...line.matchAll(/\*([^*]+)\*/g)].map(([, name = '']) => name)
      expect(named.length, line).toBeGreaterThan(0)
      expect(named.filter((one) => !known.has(one))).toEqual([])
    }
  })

  // Mutation: leave the guard out of a promise, or name one that nothing knows.
  it('names for each promise a guard with a test and a mutation, and no guard of promises is idle', () => {
    const promises = promisesOf(page)
    expect(promises.length).toBeGreaterThan(40)
    expect(promises.filter(({ guards }) => guards.length === 0).map(({ promise }) => promise)).toEqual([])
    const named = new Set(promises.flatMap((one) => one.guards))
    expect([...named].filter((name) => !known.has(name))).toEqual([])
    expect(promised.filter((row) => !named.has(row.guard)).map((row) => row.guard)).toEqual([])
  })

  it('names tests that exist for its promises', () => {
    const files = [...rest.matchAll(/`([\w./-]+\.(?:test|spec)\.tsx?)`/g)].map(([, file = '']) => file)
    const folders = ['src/main', 'src', 'src/renderer', '.']
    expect(files.length).toBeGreaterThan(80)
    expect(files.filter((file) => !folders.some((folder) => existsSync(join(root, folder, file))))).toEqual([])
  })
})
