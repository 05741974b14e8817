import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { chooseComponents, chooseFiles, chooseSpecs, specsOf, testsOfProcesses } from './choose-tests.ts'

const root = join(import.meta.dirname, '..')
const specs = ['cli', 'flow-memory', 'flow-task', 'run', 'windows'].map((name) => `e2e/specs/${name}.spec.ts`)
const texts: Readonly<Record<string, string>> = {
  'e2e/specs/windows.spec.ts': "import { secondTab } from '../support/tabs.ts'",
  'e2e/support/tabs.ts': "import type { Page } from '@playwright/test'\nimport { x } from './deep.ts'",
}
const choose = (...changed: readonly string[]) =>
  chooseSpecs(changed, specs, (path) => texts[path] ?? null).map((path) => path.slice('e2e/specs/'.length, -8))

describe('the choice of end-to-end specs', () => {
  it.each([
    ['a changed spec', 'e2e/specs/cli.spec.ts', ['cli']],
    ['a file that a spec imports', 'e2e/support/tabs.ts', ['windows']],
    ['a file that this file imports in turn', 'e2e/support/deep.ts', ['windows']],
    ['a region of the window', 'src/renderer/memory/memory-screen.tsx', ['flow-memory']],
    ['a file that all regions use', 'src/renderer/ui/button.tsx', ['flow-task', 'windows']],
    ['a file of the renderer outside every region', 'src/renderer/main.ts', ['flow-task', 'windows']],
    ['the command line', 'src/main/cli/index.ts', ['cli', 'run']],
    ['the engine', 'src/main/core/agent/loop/turn-loop.ts', ['flow-task', 'run']],
    ['the fixture project', 'e2e/fixtures/ledger/README.md', ['cli', 'flow-memory', 'flow-task', 'run', 'windows']],
    ['a unit test', 'src/renderer/memory/memory-logic.test.ts', []],
    ['a document', 'docs/architecture.md', []],
  ])('selects the specs for %s', (_, changed, chosen) => {
    expect(choose(changed)).toEqual(chosen)
  })

  it('names each spec once', () => {
    expect(choose('src/renderer/todos/todo.tsx', 'e2e/specs/flow-task.spec.ts')).toEqual(['flow-task'])
  })
})

describe('the choice of test files', () => {
  it('adds test files that start a changed file as a process', () => {
    const changed = ['integration/kill-process.testkit.ts', 'src/main/adapters/runner/child.ts']
    expect(chooseFiles(changed, ['src/a.test.ts', 'integration/kill.test.ts'], () => true)).toEqual([
      'integration/kill.test.ts',
      'src/a.test.ts',
      'src/main/adapters/runner/bombs.test.ts',
      'src/main/adapters/runner/code-runner.test.ts',
      'src/main/adapters/runner/python.test.ts',
    ])
  })

  it('leaves out deleted files', () => {
    expect(chooseFiles([], ['src/gone.test.ts'], () => false)).toEqual([])
  })
})

describe('the choice of component tests', () => {
  const all = ['src/renderer/chat/b.browser.test.tsx', 'src/renderer/approvals/a.browser.test.tsx']

  it('takes those that import a changed file', () => {
    const related = ['src/renderer/chat/b.test.ts', 'src/renderer/chat/b.browser.test.tsx']
    expect(chooseComponents(['src/renderer/chat/b.tsx'], related, all)).toEqual([
      'src/renderer/chat/b.browser.test.tsx',
    ])
  })

  it('takes all of them after a change of the styles, which no component imports', () => {
    expect(chooseComponents(['src/renderer/ui/tokens.css'], [], all)).toEqual([...all].sort())
    expect(chooseComponents(['src/main/web/page.css'], [], all)).toEqual([])
  })
})

describe('the tables', () => {
  it('cover every region of the window', () => {
    const folders = readdirSync(join(root, 'src/renderer'), { withFileTypes: true }).filter((one) => one.isDirectory())
    const known = new Set(specsOf.map(([start]) => start))
    expect(folders.map(({ name }) => `src/renderer/${name}/`).filter((folder) => !known.has(folder))).toEqual([])
  })

  it('name only tests that exist', () => {
    const named = specsOf.flatMap(([, names]) => names.map((name) => `e2e/specs/${name}.spec.ts`))
    const files = [...named, ...testsOfProcesses.flatMap(([, tests]) => tests)]
    expect(files.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })
})
