import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { lastResults, type Scenario } from '../../e2e/model-server/scenario.ts'
import { coppice } from './coppice.testkit.ts'

/** Runs a script of the shell, and returns what it printed. */
export const sh = (script: string, cwd: string) => execFileSync('bash', ['-ec', script], { cwd, encoding: 'utf8' })

/** Runs this command, and tells what came of it. */
export const runs =
  (command: string): Scenario =>
  (request) => {
    const results = [...lastResults(request).values()]
    return results.length > 0
      ? { text: results.join('\n') }
      : { calls: [{ name: 'execute', id: 'git', input: { command } }] }
  }

/** A repository with a folder `app`, and a model. */
export async function openRepository(scenario: Scenario, more = 'true') {
  const place = mkdtempSync(join(tmpdir(), 'coppice-git-'))
  sh(
    'git init -q -b main top; cd top; git config user.name n; git config user.email e@e; mkdir app; echo 1 > app/a.txt; git add -A; git commit -qm first',
    place,
  )
  sh(more, join(place, 'top'))
  const server = await startModelServer(scenario)
  const keys = { ANTHROPIC_API_KEY: 'sk-test', ANTHROPIC_BASE_URL: server.url }
  return {
    ...{ place, server },
    run: (cwd: string, ...args: readonly string[]) =>
      coppice(
        ['run', join(place, cwd), '--task', 'go', '--approve', 'all', '--data-dir', join(place, 'data'), ...args],
        keys,
      ),
    patch: join(place, 'result.patch'),
    verb: (args: readonly string[], options: Parameters<typeof coppice>[2] = {}) =>
      coppice([...args, '--data-dir', join(place, 'data')], {}, options),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}
