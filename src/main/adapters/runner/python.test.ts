import { existsSync, mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { defaultRunnerLimits } from '#core/ports/code-runner.ts'
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
