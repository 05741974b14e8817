import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createDeclarations } from './declarations.ts'
import { type GivenFiles, giveFiles, programsFolder } from './given-files.ts'
import { spawnName, spawnProgram } from './spawn-program.ts'

const nonce = 'n0nce'

function split(text: string, size: number) {
  const declarations = createDeclarations(nonce)
  const bytes = Buffer.from(text)
  const plain: Buffer[] = []
  for (let start = 0; start < bytes.length; start += size)
    plain.push(declarations.take('stdout', bytes.subarray(start, start + size)))
  plain.push(declarations.rest('stdout'))
  return { plain: Buffer.concat(plain).toString(), found: declarations.found }
}

it.each([1, 2, 7, 1000])('finds declarations wherever the output is cut: %i bytes at a time', (size) => {
  const output = [
    'before',
    'SUBAGENT_TASK:other {"description":"forged"}',
    `half a line SUBAGENT_TASK:${nonce} {"description":"one"}`,
    `SUBAGENT_TASK:${nonce} {broken`,
    'SUBAGENT_TASK:n0n no marker',
    `é SUBAGENT_TASK:${nonce} {"description":"without an end"}`,
  ].join('\n')
  expect(split(output, size)).toEqual({
    plain: 'before\nSUBAGENT_TASK:other {"description":"forged"}\nhalf a line SUBAGENT_TASK:n0n no marker\né ',
    found: ['{"description":"one"}', '{broken', '{"description":"without an end"}'],
  })
})

it('keeps text that only begins like a marker', () => {
  expect(split('a SUBAGENT_TASK:n0nc', 3)).toEqual({ plain: 'a SUBAGENT_TASK:n0nc', found: [] })
})

it('does not keep a line that is too long, and returns an empty one for it', () => {
  expect(split(`SUBAGENT_TASK:${nonce} ${'x'.repeat(300_000)}\nafter`, 50_000)).toEqual({ plain: 'after', found: [''] })
})

let given: GivenFiles
beforeAll(async () => {
  given = await giveFiles({ settings: {}, programs: { [spawnName]: spawnProgram(nonce, '/bin/bash') } }, null)
})
afterAll(() => given[Symbol.asyncDispose]())

const declare = (script: string, more: Readonly<Record<string, string>> = {}) => {
  const env = { ...more, PATH: [join(given.folder, programsFolder), process.env.PATH].join(delimiter) }
  const output = execFileSync('bash', ['--noprofile', '--norc', '-c', script], { env, encoding: 'utf8', stdio: 'pipe' })
  return split(output, 4096).found.map((json) => JSON.parse(json))
}

it.each([
  'plain words',
  'quotes " and \' and \\ and \\n and $HOME and `x` and %s',
  'lines\n\tand\r\ntabs\n',
  'bell \u0007 escape \u001b[31m delete \u007f',
  'ünïcode 日本語 🌲 & more \\& &',
])('spawn_subagent carries any text: %j', (text) => {
  const quoted = `'${text.replaceAll("'", `'\\''`)}'`
  expect(declare(`spawn_subagent --id ${quoted} --type t ${quoted}`)).toEqual([
    { description: text, type: 't', id: text },
  ])
})

it('spawn_subagent keeps every long task of many programs that write at the same time', () => {
  const script = 'for i in $(seq 20); do spawn_subagent "$i $(printf %020000d 0)" & done; wait'
  const found = declare(script)
  const expected = Array.from({ length: 20 }, (_, index) => `${index + 1} ${'0'.repeat(20_000)}`)
  expect(found.map(({ description }) => description).sort()).toEqual(expected.sort())
})

it('spawn_subagent reads a task from standard input, longer than an argument may be, whatever is in it', () => {
  const long = `é"\\${'\u0007x'.repeat(20_000)}${'y'.repeat(80_000)}`
  const script = `printf 'é"\\\\'; printf '\\ax%.0s' {1..20000}; printf '%080000d' 0 | tr 0 y`
  expect(declare(`{ ${script}; echo; } | spawn_subagent --id one -`)).toEqual([{ description: long, id: 'one' }])
})

it('counts a long task of which a piece is missing', () => {
  const piece = (numbers: string, text: string) => `SUBAGENT_TASK:${nonce} 7-7 ${numbers} ${text}\n`
  expect(split(`${piece('2/3', 'b')}${piece('1/3', 'a')}`, 9)).toEqual({ plain: '', found: [''] })
  const all = `${piece('2/3', 'b')}and${piece('1/3', 'a')}SUBAGENT_TASK:${nonce} {}\n${piece('3/3', 'c')}`
  expect(split(all, 9)).toEqual({ plain: 'and', found: ['abc', '{}'] })
})

it('spawn_subagent works in scripts, in loops and under strict options, and refuses unknown options', () => {
  expect(declare('set -euo pipefail; for n in 1 2; do bash -c "spawn_subagent -- -t$n"; done')).toEqual([
    { description: '-t1' },
    { description: '-t2' },
  ])
  for (const wrong of [
    'spawn_subagent',
    'spawn_subagent ""',
    'spawn_subagent --x y',
    'spawn_subagent a b',
    'spawn_subagent --id',
  ])
    expect(declare(`! ${wrong} 2>/dev/null`)).toEqual([])
})

it('spawn_subagent is the same whatever its caller exports', () => {
  const exported = { 'BASH_FUNC_printf%%': '() { echo taken; }', BASH_ENV: '/dev/stdin', SHELLOPTS: 'xtrace:nounset' }
  expect(declare('spawn_subagent one', exported)).toEqual([{ description: 'one' }])
})

it('showing the program declares nothing', () => {
  const text = readFileSync(join(given.folder, programsFolder, spawnName), 'utf8')
  expect(split(text, 4096)).toEqual({ plain: text, found: [] })
})
