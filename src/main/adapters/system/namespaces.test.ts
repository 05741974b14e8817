import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { endsNamespaces, inNamespacesOf } from './namespaces.ts'

function run(script: string, milliseconds?: number) {
  const [file = '', ...parameters] = inNamespacesOf({ kind: 'own' }, { script, parameters: [] })
  return spawnSync(file, parameters, { timeout: milliseconds, killSignal: endsNamespaces })
}

const works = process.platform === 'linux' && run(':').status === 0

describe('namespaces of a command', () => {
  /** Noticed: bash prints line by line, and on a busy machine every four-hundredth map had its first line only. */
  it('get each map of users in one piece, not from a program that prints it', () => {
    const script = inNamespacesOf({ kind: 'other' }, { script: ':', parameters: [] }).join(' ')
    expect(script.match(/syswrite\(\$file, \$map\)/g)).toHaveLength(1)
    expect(script).not.toMatch(/(printf|echo|tee)[^\n;]*[ug]id_map/)
  })

  /** Noticed: the waiting process blocks SIGTERM, so a probe that hung made the start of the app hang. */
  it.runIf(works)('end with a program that takes too long', () => {
    expect(run('sleep 30', 200)).toMatchObject({ status: null, signal: 'SIGKILL' })
  })
})
