import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { type CodeState, defaultRunnerLimits, type RunOutcome } from '#core/ports/code-runner.ts'
import { asMount } from './as-mount.testkit.ts'
import { createCodeRunner } from './code-runner.ts'

/** The child as one bundled file, as in the built app. It starts much faster than the sources. */
const childPath = join(String(process.env.COPPICE_TEST_CHILDREN), 'runner-child.mjs')
const runner = createCodeRunner({ nodePath: process.execPath, childPath })
afterAll(() => runner[Symbol.dispose]())

function openFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'coppice-python-'))
  writeFileSync(join(folder, 'a.txt'), 'hello\n')
  mkdirSync(join(folder, 'src'))
  return folder
}

const run = async (code: string, folder = openFolder()) =>
  (
    await runner.run(
      { language: 'python', code, mount: asMount(folder), limits: defaultRunnerLimits },
      AbortSignal.timeout(60_000),
    )
  ).outcome

it.each<[string, unknown]>([
  ['1 + 1', 2],
  ['x = 5\nx * 2', 10],
  ['x = 1', null],
  ["{'a': [1, 2.5, None, True, 'x'], 't': (1, 2), 3: {4}}", { a: [1, 2.5, null, true, 'x'], t: [1, 2], 3: [4] }],
  ['10 ** 30', `1${'0'.repeat(30)}`],
  ["float('inf')", 'Infinity'],
  ["b'ab'", 'ab'],
  ['import json\njson.loads(\'{"a": 1}\')["a"]', 1],
])('gives the value of %s', async (code, value) => {
  expect(await run(code)).toMatchObject({ ok: true, value, error: null })
})

it('reads and changes the files of the folder', async () => {
  const folder = openFolder()
  const outcome = await run(
    `from pathlib import Path
text = Path('/a.txt').read_text()
Path('src/b.txt').write_text(text.upper())
with open('/c.txt', 'w') as file:
    file.write('c')
Path('/a.txt').unlink()
print('done', len(text))
sorted(str(path) for path in Path('/').iterdir())`,
    folder,
  )
  expect(outcome).toMatchObject({ ok: true, value: ['/c.txt', '/src'], stdout: 'done 6\n' })
  expect(readFileSync(join(folder, 'src/b.txt'), 'utf8')).toBe('HELLO\n')
  expect(existsSync(join(folder, 'a.txt'))).toBe(false)
})

it('reads and writes line ends and a byte-order mark as they are', async () => {
  const folder = openFolder()
  writeFileSync(join(folder, 'crlf'), '\ufeffa\r\nb\n')
  const code = `from pathlib import Path
text = Path('/crlf').read_text()
Path('/again').write_text(text)
with open('/crlf') as file:
    other = file.read()
with open('/other', 'w') as file:
    file.write(other)
[len(text), len(other)]`
  expect(await run(code, folder)).toMatchObject({ ok: true })
  for (const name of ['again', 'other']) expect(readFileSync(join(folder, name), 'utf8')).toBe('\ufeffa\r\nb\n')
})

it.each(['out', 'folder/passwd'])('neither follows %s out of the folder nor writes there', async (path) => {
  const folder = openFolder()
  const outside = mkdtempSync(join(tmpdir(), 'coppice-outside-'))
  writeFileSync(join(outside, 'passwd'), 'canary')
  symlinkSync(join(outside, 'passwd'), join(folder, 'out'))
  symlinkSync(outside, join(folder, 'folder'))
  for (const act of [`open('/${path}').read()`, `open('/${path}', 'w').write('x')`]) {
    const outcome = await run(act, folder)
    expect(outcome).toMatchObject({ ok: false, error: expect.stringContaining('PermissionError') })
  }
  expect(readFileSync(join(outside, 'passwd'), 'utf8')).toBe('canary')
})

it.each([
  ['def f(:', /SyntaxError/],
  ["raise ValueError('no')", /code\.py", line 1[\s\S]*ValueError: no/],
  ['class A:\n  pass', /class definitions/],
  ['frobnicate()', /NameError: name 'frobnicate' is not defined/],
  ["open('/none').read()", /No such file/],
])('reports the failure of %s', async (code, error) => {
  expect(await run(code)).toMatchObject({ ok: false, error: expect.stringMatching(error) })
})

it('keeps the text printed before the end', async () => {
  const limits = { ...defaultRunnerLimits, timeoutMs: 500 }
  const request = {
    language: 'python',
    code: "print('before')\nwhile True:\n  pass",
    mount: asMount(openFolder()),
    limits,
  } as const
  expect((await runner.run(request, AbortSignal.timeout(60_000))).outcome).toMatchObject({
    ok: false,
    stdout: 'before\n',
    error: expect.stringContaining('time limit of 500 ms'),
  })
})

describe('the state of the interpreter', () => {
  /** Runs pieces of code one after the other, each in its own child, on the state of the last good one. */
  async function runAll(codes: readonly string[], state: Uint8Array | null = null) {
    const folder = openFolder()
    const outcomes: RunOutcome[] = []
    let kept = state
    const states: CodeState[] = []
    for (const code of codes) {
      const request = { language: 'python', code, mount: asMount(folder), limits: defaultRunnerLimits } as const
      const { outcome, state: ended } = await runner.run({ ...request, state: kept }, AbortSignal.timeout(60_000))
      outcomes.push(outcome)
      if (ended) states.push(ended)
      kept = ended?.after ?? kept
    }
    return { outcomes, states, kept, last: outcomes.at(-1) }
  }

  it('holds variables, functions, modules and open names for the next run', async () => {
    const { last } = await runAll([
      'import json\nfrom pathlib import Path\nrows = [1, 2]\ndef total(more):\n  return sum(rows) + more',
      'rows.append(4)',
      "print(total(10))\njson.dumps([rows, Path('/a.txt').read_text()])",
    ])
    expect(last).toMatchObject({ ok: true, value: '[[1, 2, 4], "hello\\n"]', stdout: '17\n' })
  })

  it('lets a function use names that come later, in its own call and in a later one', async () => {
    const { outcomes } = await runAll([
      'def main():\n  return helper() + size\ndef helper():\n  return 1\nsize = 5\nmain()',
      'def outer():\n  return inner()',
      'def inner():\n  return len([1, 2])\nouter()',
      "def never():\n  return ValueError('x')\ntry:\n  raise never()\nexcept ValueError as error:\n  answer = str(error)\nanswer",
    ])
    expect(outcomes.map(({ value, error }) => error ?? value)).toEqual([6, null, 2, 'x'])
  })

  it('leaves ordinary programs as they are: names in any order, built-in names, globals and inner functions', async () => {
    const program = `import re
DATA = [{'id': i, 'match': f"row {i}"} for i in range(3)]
def main(rows=None, *args, **kwargs):
    total = sum([score(row) for row in rows or DATA])
    try:
        undefined_thing
    except NameError as err:
        total += 100
    return total, counter(), even(10), sorted([3, 1, 2], key=lambda v: -v, reverse=True)
def score(row):
    match = re.match(r'row (\\d+)', row['match'])
    return int(match.group(1)) if match else 0
def counter():
    n = 0
    def inc():
        nonlocal n
        n += 1
        return n
    inc()
    return inc()
def even(n):
    return n == 0 or odd(n - 1)
def odd(n):
    return n != 0 and even(n - 1)
def make():
    global made
    made = 7
make()
main(), made`
    const { outcomes } = await runAll([program, 'main()[0] + made'])
    expect(outcomes.map(({ value, error }) => error ?? value)).toEqual([[[103, 2, true, [1, 2, 3]], 7], 110])
  })

  it('does not change with a failed run', async () => {
    const { outcomes, states } = await runAll(['x = 1', 'x = 2\n1 / 0', 'x', 'x = 3\nwhile True:\n  x += [', 'x'])
    expect(outcomes.map(({ ok, value }) => (ok ? value : 'failed'))).toEqual([null, 'failed', 1, 'failed', 1])
    expect(states[1]).toEqual({ restored: true, after: null })
  })

  it('names the script of this run in errors, and earlier runs as such', async () => {
    const { last } = await runAll(['def divide(n):\n  return 1 / n', 'divide(0)'])
    expect(last?.error).toMatch(/File "code\.py", line 1, in <module>[\s\S]*File "an earlier call", line 2, in divide/)
  })

  it('is left out when it is too large, although the run is good', async () => {
    const { outcomes, states } = await runAll(["text = 'x' * 100000000\nlen(text)", 'text'])
    expect(outcomes[0]).toMatchObject({ ok: true, value: 100_000_000 })
    expect(states[0]).toEqual({ restored: true, after: null })
    expect(outcomes[1]?.error).toContain("name 'text' is not defined")
  })

  it.each<[string, (state: Buffer) => Buffer]>([
    [
      'was damaged',
      (state) => state.map((byte, index) => (index > 40 && index % 3 === 0 ? byte ^ 0x5a : byte)) as Buffer,
    ],
    ['was cut off', (state) => state.subarray(0, state.length / 2)],
    [
      'is of another version',
      (state) => Buffer.from(state.toString('latin1').replace(/^monty ./, 'monty 9'), 'latin1'),
    ],
    [
      'was made under another limit',
      (state) => Buffer.from(state.toString('latin1').replace(' 128\n', ' 129\n'), 'latin1'),
    ],
    ['is empty', () => Buffer.alloc(0)],
  ])('begins anew, and says so, when the given one %s', async (_, spoil) => {
    const { kept } = await runAll(['x = 1\ndef f():\n  return x'])
    const { outcomes, states } = await runAll(['x', 'y = 1'], spoil(Buffer.from(kept ?? [])))
    expect(outcomes[0]?.error).toContain("NameError: name 'x' is not defined")
    expect(states.map(({ restored }) => restored)).toEqual([false, false])
    expect(states[1]?.after).not.toBeNull()
  })

  it('never outlives its limit of memory', async () => {
    const { outcomes } = await runAll(["a = 'x' * 3000000", "b = 'y' * 133000000"])
    expect(outcomes[1]?.error).toContain('memory limit')
  })
})

it('says how to use the functions of another file', async () => {
  const { error } = await run('import helper')
  expect(error).toMatch(
    /ModuleNotFoundError: No module named 'helper'\nMonty .* cannot import files\. .*run_python_file/,
  )
})

it('keeps a line that has not ended, and text that imitates the end of the output', async () => {
  const { stdout } = await run("print('00000000-0000-0000-0000-000000000000')\nprint('half', end='')")
  expect(stdout).toBe('00000000-0000-0000-0000-000000000000\nhalf')
})
