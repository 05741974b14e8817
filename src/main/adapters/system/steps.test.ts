import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { inNamespacesOf } from './namespaces.ts'
import { afterSteps, canEnter, enterProgram, type Step } from './steps.ts'

function ended(program: readonly string[], input = '') {
  const [file = '', ...parameters] = program
  const { status, signal, stdout, stderr } = spawnSync(file, parameters, { encoding: 'utf8', input, timeout: 20_000 })
  return { status, signal, stdout, stderr }
}

const bash = (script: string) => ['bash', '-c', script]
const quiet = { signal: null, stderr: '' }

it('one program takes the steps of a command line inside another', () => {
  const inner = afterSteps([['limit', 'core-bytes', '0']], ['/bin/true'])
  expect(afterSteps([['mounts'], ['folder', '/']], inner)).toEqual([
    ...[enterProgram(), 'mounts', 'folder', '/', 'limit', 'core-bytes', '0', '--', '/bin/true'],
  ])
  expect(afterSteps([], ['true'])).toEqual(['true'])
})

describe.runIf(canEnter())('steps', () => {
  const wrapped: readonly (readonly [string, (script: string) => readonly string[]])[] = [
    ['without a step', (script) => [enterProgram(), '--', '/bin/bash', '-c', script]],
    ['that answer renames', (script) => afterSteps([['answer-renames']], bash(script))],
    ['that answer twice', (script) => afterSteps([['answer-renames'], ['answer-renames']], bash(script))],
  ]
  it.each(wrapped)('a program after steps %s keeps its input, its output, its code and its signal', (_, inSteps) => {
    expect(ended(inSteps('cat; exit 5'), 'given')).toEqual({ ...quiet, status: 5, stdout: 'given' })
    expect(ended(inSteps('kill -TERM $$'))).toMatchObject({ signal: 'SIGTERM' })
    expect(ended(inSteps('sleep 3 > /dev/null 2>&1 & echo done'))).toEqual({ ...quiet, status: 0, stdout: 'done\n' })
  })

  it('a program that is not there ends with 127', () => {
    const line = '/no/such/program: No such file or directory\n'
    for (const steps of [[], [['answer-renames']]] as const satisfies readonly (readonly Step[])[])
      expect(ended([enterProgram(), ...steps.flat(), '--', '/no/such/program'])).toMatchObject({
        status: 127,
        stderr: line,
      })
  })

  const words: readonly (readonly [string, readonly string[], string])[] = [
    ['one that fails', ['folder', '/no/such'], 'coppice-enter: folder /no/such: No such file or directory\n'],
    ['one that fails after a try of another', ['try', 'folder', '/no/such', 'folder', '/no'], 'folder /no: No such'],
    ['a number that is none', ['limit', 'open-files', '12x'], 'limit open-files: Invalid argument'],
    ['a limit that is none', ['limit', 'files', '12'], 'limit files: Invalid argument'],
    ['an unknown one', ['unknown'], 'usage: coppice-enter'],
    ['one without its words', ['write', '/dev/null'], 'usage: coppice-enter'],
    ['a try of nothing', ['try'], 'usage: coppice-enter'],
    ['a path that is too long', ['folder', 'x'.repeat(5000)], ': File name too long'],
  ]
  it.each(words)('%s ends it before the program, with a line that says why', (_, steps, line) => {
    const { status, stdout, stderr } = ended([enterProgram(), ...steps, '--', '/bin/echo', 'started'])
    expect({ status, stdout }).toEqual({ status: 125, stdout: '' })
    expect(stderr).toContain(line)
  })

  it('a program without a folder comes from PATH, past entries that are none', () => {
    const env = (PATH: string) =>
      spawnSync(enterProgram(), ['--', 'echo', 'found'], { encoding: 'utf8', env: { PATH } })
    for (const path of ['/no/such::/bin', '/etc/passwd:/bin', `${'x'.repeat(5000)}:/bin`, '/bin:'])
      expect(env(path), path.slice(0, 20)).toMatchObject({ status: 0, stdout: 'found\n' })
    expect(env('/no/such')).toMatchObject({ status: 127, stderr: 'echo: No such file or directory\n' })
  })

  it('a step after try may fail', () => {
    expect(ended([enterProgram(), 'try', 'folder', '/no/such', '--', '/bin/echo', 'on'])).toMatchObject({
      stdout: 'on\n',
    })
  })

  it('nothing but steps, or nothing at all, says how to call it', () => {
    for (const parameters of [[], ['mounts'], ['--']])
      expect(ended([enterProgram(), ...parameters])).toMatchObject({ status: 125, stdout: '' })
  })

  it('the code and the signal of a program come out of its namespaces', () => {
    const inside = (script: string) => ended(inNamespacesOf({ kind: 'own' }, bash(script)))
    expect(inside('echo "$(id -u)"; exit 7')).toMatchObject({ status: 7, stdout: '0\n' })
    expect(inside('kill -KILL $$')).toMatchObject({ status: 128 + 9, signal: null, stderr: '' })
    expect(inside('sleep 30 & echo done')).toMatchObject({ status: 0, stdout: 'done\n' })
  })
})
