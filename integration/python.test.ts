import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { lastResults, type Scenario, turnOf } from '../e2e/model-server/scenario.ts'
import { openWorld, type WorldOptions } from './world.testkit.ts'

const files = {
  'data.csv': 'name,price\napple,3\npear,4\n',
  'keep/.env': 'KEY=canary\n',
  'keep/plain.txt': 'plain\n',
  '.gitignore': 'build/\n',
  '.git/config': '[core]\n',
}

/** Runs one Python call of an agent. Returns its result and the world it ran in. */
async function python(code: string, options: Pick<WorldOptions, 'settings'> = {}) {
  const scenario: Scenario = (request) =>
    turnOf(request) === 0
      ? { calls: [{ name: 'run_python_code', id: 'py', input: { code } }] }
      : { text: [...lastResults(request).values()].join('') }
  const world = await openWorld(scenario, { files, ...options })
  const id = await world.run('Compute')
  const text =
    world
      .thread(id)
      .messages.at(-1)
      ?.content.map((part) => ('text' in part ? part.text : ''))
      .join('') ?? ''
  return { ...world, id, text, fileOf: (path: string) => world.fileOf(id, path) }
}

describe('Python over a branch', () => {
  it('reads and writes files of the branch, and leaves the folder unchanged', async () => {
    const { text, fileOf, folder } = await python(
      `from pathlib import Path
rows = Path('/data.csv').read_text().strip().split('\\n')[1:]
total = sum([int(row.split(',')[1]) for row in rows])
Path('/out').mkdir()
Path('/out/total.txt').write_text(str(total))
Path('/data.csv').unlink()
total`,
    )
    expect(JSON.parse(text)).toMatchObject({ ok: true, value: 7, note: expect.stringMatching(/^2 files changed\./) })
    expect(await fileOf('/out/total.txt')).toBe('7')
    expect(await fileOf('/data.csv')).toBe('')
    expect(existsSync(join(folder, 'out'))).toBe(false)
    expect(readFileSync(join(folder, 'data.csv'), 'utf8')).toBe(files['data.csv'])
  })

  it('drops all writes of a failed run', async () => {
    const { text, fileOf } = await python(`open('/new.txt', 'w').write('x')\n1 / 0`)
    expect(JSON.parse(text)).toMatchObject({ ok: false, error: expect.stringContaining('ZeroDivisionError') })
    expect(await fileOf('/new.txt')).toBe('')
  })

  it.each(['/keep/.env', '/.git/config'])('cannot see %s', async (path) => {
    const { text } = await python(`open('${path}').read()`)
    expect(JSON.parse(text)).toMatchObject({ ok: false, error: expect.stringContaining('No such file') })
    expect(text).not.toContain('canary')
  })

  it.each([
    ['writes a file it cannot see', `open('/keep/.env', 'w').write('KEY=mine')`],
    [
      'removes the folder around one',
      `from pathlib import Path\nPath('/keep/plain.txt').unlink()\nPath('/keep').rmdir()`,
    ],
    ['moves the folder around one', `from pathlib import Path\nPath('/keep').rename('/other')`],
  ])('keeps nothing of a run that %s', async (_, code) => {
    const { text, fileOf } = await python(code)
    expect(text).toMatch(/\/keep\/\.env is protected by a rule or may hold secrets|cross-device/)
    expect(await fileOf('/keep/.env')).toBe('KEY=canary\n')
    expect(await fileOf('/keep/plain.txt')).toBe('plain\n')
  })

  it('cannot change what a rule protects', async () => {
    const settings = { permissions: { deny: ['Edit(keep/**)'] } }
    const { text, fileOf } = await python(`open('/keep/plain.txt', 'w').write('mine')`, { settings })
    expect(text).toContain('/keep/plain.txt is protected by a rule')
    expect(await fileOf('/keep/plain.txt')).toBe('plain\n')
  })

  it('leaves nothing behind for commands: neither .git nor files that .gitignore names', async () => {
    const { text, fileOf } = await python(
      `from pathlib import Path
Path('/build').mkdir()
Path('/build/evil.sh').write_text('x')
Path('/.git').mkdir()
Path('/.git/config').write_text('[core]\\n fsmonitor = evil')
1`,
    )
    expect(JSON.parse(text)).toMatchObject({ ok: true, note: expect.stringContaining('left out') })
    expect(await fileOf('/build/evil.sh')).toBe('')
    expect(await fileOf('/.git/config')).toBe(files['.git/config'])
  })
})
