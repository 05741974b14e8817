import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { repeats, testSeed } from '../ports/test-size.testkit.ts'
import { plainCommands } from './shell-line.ts'

const pieces = [
  ...['aa', 'bb', 'c', '1', '2', '=', 'CI', 'X', '~', '#', '!', '-', '--x', '/', '.', ':', '%', '^', '@', '+', 'é'],
  ...[' ', ' ', ' ', '\t', '\n', '\r', '\u00a0', '\\', '\\ ', '\\\n'],
  ...['"', "'", '$', '`', '$(', ')', '(', '${', '}', '{', '[', ']', '*', '?', ',', '$((', '))', "$'", '$"'],
  ...[';', '&&', '||', '|', '&', '|&', ';;', '!', 'time '],
  ...['>', '<', '>&', '2>', '>/dev/null', '2>&1', '<<', '<<<', '<(', '&>', '>|'],
  ...['if ', 'then ', 'fi', 'do ', 'done', 'case ', 'esac', 'in ', 'function ', 'timeout 5 ', '[[ ', ' ]]'],
]
const lines = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 12 }).map((parts) => parts.join('')),
  fc
    .array(
      fc.constantFrom(
        'aa',
        'bb ',
        'c ',
        ' ',
        "'c d'",
        '"e f"',
        '\\',
        ';',
        '&&',
        '|',
        '>/dev/null ',
        '2>&1 ',
        'CI=1 ',
        '\n',
        '# ',
      ),
      {
        minLength: 1,
        maxLength: 12,
      },
    )
    .map((parts) => parts.join('')),
)

/** Runs lines in a real bash that has no commands, and returns what each line tried to run: [line, argv][]. */
function triedByBash(candidates: readonly string[]): readonly (readonly [number, string])[] {
  const script = `
    command_not_found_handle() { printf '%s\\0' "$number" "$#" "$@" >&9; }
    number=0
    for line in "$@"; do ( eval "$line" ) </dev/null >/dev/null 2>&1; number=$((number + 1)); done`
  const output = execFileSync('bash', ['--norc', '-c', `exec 9>&1; PATH=/nowhere; ${script}`, 'bash', ...candidates], {
    encoding: 'utf8',
    env: { LANG: 'C.UTF-8' },
  })
  return records(output.split('\0'))
}

function records(fields: readonly string[]): readonly (readonly [number, string])[] {
  const found: (readonly [number, string])[] = []
  for (let at = 0; at + 1 < fields.length; ) {
    const count = Number(fields[at + 1])
    found.push([Number(fields[at]), JSON.stringify(fields.slice(at + 2, at + 2 + count))])
    at += 2 + count
  }
  return found
}

describe.skipIf(process.platform === 'win32')('lines of plain commands', () => {
  it('run nothing in a real bash except the commands that were found in them', () => {
    const numRuns = repeats(4_000, 100_000)
    const plain = fc.sample(lines, { numRuns, seed: testSeed() }).flatMap((line) => {
      const commands = plainCommands(line)
      return commands ? [{ line, commands: commands.map((words) => JSON.stringify(words)) }] : []
    })
    const surprises: unknown[] = []
    let checked = 0
    for (let at = 0; at < plain.length; at += 200) {
      const batch = plain.slice(at, at + 200)
      for (const [index, argv] of triedByBash(batch.map(({ line }) => line))) {
        checked += 1
        const { line, commands } = batch[index] ?? { line: '', commands: [] }
        if (!commands.includes(argv)) surprises.push({ line, commands, argv })
      }
    }
    expect(surprises).toEqual([])
    expect(checked).toBeGreaterThan(numRuns / 10)
  })
})
