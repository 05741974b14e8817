import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { startModelServer } from '../../e2e/model-server/model-server.ts'
import { type Scenario, taskOf, turnOf } from '../../e2e/model-server/scenario.ts'
import { coppice, fixture, keyFor } from './coppice.testkit.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'coppice-awaited-'))

const scripts = {
  run_js_code: `
    const names = (await fs.list('/src')).slice(0, 2)
    const reviews = await Promise.all(names.map((name) => runSubagent({ id: name, description: 'review ' + name })))
    const last = await runSubagent('sum up ' + reviews.map(({ result }) => result).join(' and '))
    await fs.write('/report.txt', last.result)
    return [...reviews, last].map(({ status, handle }) => status + ' ' + handle)`,
  run_python_code: `
import pathlib
names = sorted([path.name for path in pathlib.Path('/src').iterdir()])[:2]
reviews = run_subagents([{'id': name, 'description': 'review ' + name} for name in names])
last = run_subagent('sum up ' + ' and '.join([one['result'] for one in reviews]))
pathlib.Path('/report.txt').write_text(last['result'])
[one['status'] + ' ' + one['handle'] for one in reviews + [last]]`,
}

it.each(Object.entries(scripts))(
  'coppice run: %s goes on with what subagents said, and replays',
  async (name, code) => {
    const scenario: Scenario = (request) => {
      const task = taskOf(request)
      if (task !== 'main') return { text: `<${task}>` }
      return turnOf(request) === 0 ? { calls: [{ name, id: 'code', input: { code } }] } : { text: 'Done.' }
    }
    await using server = await startModelServer(scenario)
    const file = join(folder(), 'run.jsonl')
    const patch = join(folder(), 'run.patch')
    const run = ['run', fixture, '--data-dir', folder(), '--task', 'main', '--patch', patch, '--json', '--record', file]
    const { code: exit, events, stderr } = await coppice(run, keyFor(server.url))
    expect(exit, stderr).toBe(0)
    const finished = events.find((event) => event.type === 'tool.finished' && event.name === name)
    expect(JSON.stringify(finished).replaceAll('\\', '')).toContain('["ok subagent_0","ok subagent_1","ok subagent_2"]')
    expect(readFileSync(patch, 'utf8')).toMatch(/\+<sum up <review \S+> and <review \S+>>/)
    expect(events.at(-1)).toMatchObject({ changes: { written: ['/report.txt'] } })

    const again = await coppice(['run', fixture, '--replay', file, '--data-dir', folder(), '--json'])
    expect(again.events.at(-1), again.stderr).toMatchObject({ replay: { same: true, agents: 4 } })
  },
)
