import { expect, it } from 'vitest'
import { z } from 'zod'
import { procedures } from '#shared/contract/procedures.testkit.ts'
import { branchId, threadId } from '#shared/model/entry-parts.ts'
import { namedIds } from './named-ids.ts'

/** A value in which each string is the path of its field, so that the ids that were read say where they stood. */
function sample(schema: unknown, path: string): unknown {
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape).map(([name, field]) => [name, sample(field, `${path}.${name}`)]),
    )
  if (schema instanceof z.ZodArray) return [sample(schema.element, path)]
  if (schema instanceof z.ZodUnion) return Object.assign({}, ...schema.options.map((one) => sample(one, path)))
  if (schema instanceof z.ZodPipe) return sample(schema.in, path)
  if (schema instanceof z.ZodNullable || schema instanceof z.ZodOptional || schema instanceof z.ZodDefault)
    return sample(schema.unwrap(), path)
  return path
}

const fieldsIn = (value: unknown): readonly string[] =>
  typeof value === 'object' && value !== null ? Object.values(value).flatMap(fieldsIn) : [String(value)]

// Mutation: give a field of the contract a plain string in place of `threadId`, or take a case out of `makeReader`.
it('finds each thread and branch that a command of the contract names', () => {
  const samples = procedures.map(({ name, schema }) => [schema, schema && sample(schema, name)] as const)
  const named = samples.flatMap(([schema, value]) => namedIds(schema, value))
  const wanted = samples
    .flatMap(([, value]) => (value === undefined ? [] : fieldsIn(value)))
    .filter((path) => /((thread|branch)Ids?|\.into)$/i.test(path))
  expect(wanted.length).toBeGreaterThan(60)
  expect([...named].sort()).toEqual([...wanted].sort())
})

it('takes nothing from a value that does not fit', () => {
  const schema = z.object({ threadId, all: z.array(z.object({ branchId: branchId.nullable() })).max(2) })
  for (const value of [null, 'x', 1, [], {}, { threadId: 1, all: 'x' }, { all: [null, { branchId: {} }, 'a'] }])
    expect(namedIds(schema, value)).toEqual([])
  expect(namedIds(schema, { threadId: 'a', all: [{ branchId: 'b' }], x: 'c' })).toEqual(['a', 'b'])
  expect(namedIds(z.object({ text: z.string() }), { text: 'a' })).toEqual([])
})
