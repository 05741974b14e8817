import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { renamesWhole, withWholeRenames } from './whole-renames.ts'

const here = process.platform === 'linux' && renamesWhole()

function ended(program: readonly string[], input = '') {
  const [file = '', ...parameters] = program
  const { status, signal, stdout, stderr } = spawnSync(file, parameters, { encoding: 'utf8', input, timeout: 20_000 })
  return { status, signal, stdout, stderr }
}

it.runIf(here)('a program keeps its input, its output, its code and its signal', () => {
  const wrapped = (script: string) => withWholeRenames(['bash', '-c', script])
  const quiet = { signal: null, stderr: '' }
  expect(ended(wrapped('cat; exit 5'), 'given')).toEqual({ ...quiet, status: 5, stdout: 'given' })
  expect(ended(wrapped('kill -TERM $$'))).toMatchObject({ signal: 'SIGTERM' })
  expect(ended(wrapped('sleep 3 > /dev/null 2>&1 & echo done'))).toEqual({ ...quiet, status: 0, stdout: 'done\n' })
})

it.runIf(here)('a program that is not there ends with 127, and one inside another has no listener of its own', () => {
  expect(ended(withWholeRenames(['/no/such/program']))).toMatchObject({
    status: 127,
    stderr: '/no/such/program: No such file or directory\n',
  })
  expect(ended(withWholeRenames(withWholeRenames(['echo', 'inside'])))).toMatchObject({ status: 0, stdout: 'inside\n' })
})
