import { execFileSync } from 'node:child_process'
import { appendFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { resultOf } from '#shared/model/calls/call.ts'
import { type Call, callingInTurn } from '../e2e/model-server/scenario.ts'
import { openWorld } from './world.testkit.ts'

const key = '-----BEGIN PRIVATE KEY-----\nMIIcanary\n-----END PRIVATE KEY-----\n'
const files = {
  'a.txt': 'a\n',
  '.env': 'TOKEN=canary\n',
  'app/.env.local': 'TOKEN=canary\n',
  'local/deploykey': key,
  deploy: key,
  '.gitignore': 'local/\n',
}
const execute = (command: string): Call => ({ name: 'execute', input: { command } })
const python = (code: string): Call => ({ name: 'run_python_code', input: { code } })
const move = (from: string, to: string): Call => ({ name: 'move', input: { from, to } })

/** The last result of an agent in a git repository with credentials, which makes these calls, one per turn. */
async function run(...calls: readonly Call[]): Promise<string> {
  const world = await openWorld(callingInTurn(calls), {
    files,
    settings: { interrupt_on: { execute: false } },
    approving: true,
  })
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: world.folder, stdio: 'pipe' })
  git('init', '-q')
  git('add', 'a.txt', '.gitignore')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.com', 'commit', '-qm', 'first')
  git('remote', 'add', 'origin', 'https://me:canary@example.com/a.git')
  appendFileSync(join(world.folder, '.git/config'), '[http]\n\textraheader = AUTHORIZATION: basic canary\n')
  writeFileSync(join(world.folder, '.git/logs/clone'), 'clone: from https://me:canary@example.com/a.git\n')
  const id = await world.run('main')
  const results = [...world.thread(id).calls.values()].map((call) => resultOf(call))
  return (results.at(-1)?.content ?? []).map((part) => ('text' in part ? part.text : '')).join('')
}

describe('a program over the real parts', () => {
  it.each([
    'cat .git/config',
    'git remote -v; git config -l',
    'cat .git/logs/clone',
    'cat .env app/.env.local deploy local/deploykey',
    'grep -r canary . --include="*"',
  ])('sees no secret: %s', async (command) => {
    const shown = await run(execute(command))
    expect(shown).toMatch(/Exit code|Ended/)
    expect(shown.replace(command, '')).not.toMatch(/canary/)
  })

  it('sees no secret below a moved folder', async () => {
    expect(await run(move('/app', '/zap'), execute('ls zap; cat zap/.env.local'))).not.toContain('canary')
    expect(await run(move('/app', '/zap'), python('print(open("/zap/.env.local").read())'))).not.toContain('canary')
  })

  it('can still use git', async () => {
    const shown = await run(execute('git status --short && git log --oneline && git remote -v'))
    expect(shown).toContain('first')
    expect(shown).toContain('[redacted]@example.com/a.git')
  })
})
