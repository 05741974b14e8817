import { describe, expect, it } from 'vitest'
import { jsonLimit, yamlLimit } from './text-limits.ts'

describe('the limits of texts', () => {
  it.each([
    '{"a": [1, {"b": []}]}',
    '[1], '.repeat(1_000),
    'name: x\ndescription: |\n  a [b] - c: d\n',
    '---- ---- ----\n',
    `${'- '.repeat(20)}a`,
    '-'.repeat(200),
  ])('let pass %j', (text) => {
    expect([jsonLimit(text), yamlLimit(text)]).toEqual([undefined, undefined])
  })

  it.each([
    ['brackets', '['.repeat(100)],
    ['maps', '{"a":'.repeat(100)],
    ['mixed', '[{'.repeat(50)],
    ['closed brackets', '['.repeat(100) + ']'.repeat(100)],
  ])('stop JSON and YAML that nest %s', (_, text) => {
    expect([jsonLimit(text), yamlLimit(text)]).toEqual(Array(2).fill('It nests lists or maps deeper than 64 levels.'))
  })

  it.each([
    ['dashes', `${'- '.repeat(100)}a`],
    ['questions', `${'? - '.repeat(100)}a`],
    ['keys on one line', `a: ${'b: '.repeat(100)}c`],
    ['questions behind a key', `a: b ${'? '.repeat(100)}`],
    ['indentation', `a:\n${' '.repeat(200)}b:\n`],
    ['indented dashes', `a:\n${' '.repeat(200)}- \n`],
  ])('stop YAML that nests by %s', (_, text) => {
    expect(yamlLimit(text)).toMatch(/deeper/)
  })

  it('stop texts that are too long or have too many keys', () => {
    expect(jsonLimit('1'.repeat(300_000))).toMatch(/256 KB/)
    expect(yamlLimit('1'.repeat(80_000))).toMatch(/64 KB/)
    expect(yamlLimit('a: 1\n'.repeat(5_000))).toMatch(/4000 keys/)
  })
})
