import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { pushBranch } from './push-branch.ts'

let above = ''
let top = ''

beforeEach(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'coppice-push-')))
  top = join(above, 'top')
  execFileSync('bash', [
    '-ec',
    `cd ${above}; git init -q --bare --template= remote; git init -q --template= -b main top; cd top; mkdir .git/hooks
    git -c user.name=n -c user.email=e commit -q --allow-empty -m 1`,
  ])
})

afterEach(() => rmSync(above, { recursive: true, force: true }))

/** The person's own hook before a push. */
function hook(script: string): void {
  writeFileSync(join(top, '.git/hooks/pre-push'), `#!/bin/sh\n${script}\n`)
  chmodSync(join(top, '.git/hooks/pre-push'), 0o755)
}

const push = (signal?: AbortSignal, onOutput?: (text: string) => void) =>
  pushBranch({ top, branch: 'main', remote: '../remote' }, { signal, onOutput })

// Mutation: without `detached` the hook has the session of the test, and its terminal.
it.skipIf(process.platform === 'win32')('what a push starts has no terminal to ask at', async () => {
  hook('ps -o sess= -p $$ > ../session')
  const ended = await push()
  expect(ended).toMatchObject({ code: 0 })
  const session = (pid: number) => execFileSync('ps', ['-o', 'sess=', '-p', `${pid}`], { encoding: 'utf8' }).trim()
  const seen = execFileSync('cat', [join(above, 'session')], { encoding: 'utf8' }).trim()
  expect(seen).toMatch(/^[1-9]/)
  expect(seen).not.toBe(session(process.pid))
})

// Mutation: when only git is stopped, the hook goes on and `close` never comes.
it('a push that is stopped ends with everything that it started', async () => {
  hook('echo begun >&2; sleep 600; touch ../went-on')
  const stopping = new AbortController()
  const ended = await push(stopping.signal, (text) => {
    if (text.includes('begun')) stopping.abort()
  })
  expect(ended).toMatchObject({ code: null, output: expect.stringContaining('begun') })
  expect(existsSync(join(above, 'went-on'))).toBe(false)
  expect(execFileSync('git', ['-C', join(above, 'remote'), 'for-each-ref'], { encoding: 'utf8' })).toBe('')
  expect(await push(AbortSignal.abort())).toMatchObject({ code: null })
})

it('a push that was stopped before it began does nothing', async () => {
  hook('touch ../went-on')
  await push(AbortSignal.abort())
  expect(existsSync(join(above, 'went-on'))).toBe(false)
})
